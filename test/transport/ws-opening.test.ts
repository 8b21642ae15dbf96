/** MCP over a WebSocket: what the opening asks for, and every way in which it is refused or fails. */
import { describe, expect, test } from "bun:test";

import { version } from "../../package.json";
import { serveRemote } from "../fixtures/remote/server.ts";
import { failure, open, raw } from "./ws-kit.ts";

describe("opening", () => {
  test("asks for the subprotocol mcp, with the configured headers, and offers no compression", async () => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url, {
      headers: { authorization: "Bearer t", "x-a": "b" },
    });
    expect(link.transport).toBeDefined();
    const { headers } = server.requests[0]!;
    expect(headers).toMatchObject({
      "sec-websocket-protocol": "mcp",
      authorization: "Bearer t",
      "x-a": "b",
    });
    expect(headers["sec-websocket-extensions"]).toBeUndefined();
  });

  test.each([
    [undefined, `mcphost/${version}`],
    [{ "User-AGENT": "me/1" }, "me/1"],
  ])("says who asks, as configured: %j", async (headers, agent) => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url, headers && { headers });
    expect(link.transport).toBeDefined();
    expect(server.requests[0]!.headers["user-agent"]).toBe(agent);
  });

  test.each([
    ["me:p%40ss", "me:p@ss"],
    ["me:100%", "me:100%"],
    [":key", ":key"],
  ])("user and password of the URL become a header: %s", async (written, sent) => {
    await using server = await serveRemote({ transport: "ws" });
    await using link = await open(server.url.replace("//", `//${written}@`));
    expect(link.transport).toBeDefined();
    expect(server.requests[0]!.headers["authorization"]).toBe(`Basic ${btoa(sent)}`);
  });

  test.each([
    ["none", "", "Missing client protocol"],
    ["another", "other", "Mismatch client protocol"],
  ])("a server that names %s as the subprotocol speaks no MCP", async (_name, said, reason) => {
    await using server = raw(said);
    expect(await failure(server.url)).toMatchObject({
      code: "server_start",
      message: `server "srv" gave no WebSocket: ${reason}`,
    });
  });

  test.each([302, 400, 401, 403, 404, 426, 500])("refused with %d", async (status) => {
    await using server = await serveRemote({
      transport: "ws",
      intercept: () => new Response("no", { status, headers: { location: "/elsewhere" } }),
    });
    const { code, message, facts } = await failure(`${server.url}?key=s3cr3t`);
    expect(code).toBe(status === 401 || status === 403 ? "auth_required" : "server_start");
    expect(message).toContain(String(status));
    expect(facts).toMatchObject({ httpStatus: status, sent: false });
  });

  test("B019: nothing listens there, and no such host", async () => {
    const server = await serveRemote({ transport: "ws" });
    await server[Symbol.asyncDispose]();
    expect(await failure(server.url)).toMatchObject({
      code: "server_exit",
      facts: { errno: "ECONNREFUSED", sent: false },
    });
    expect(await failure("ws://no-such-host.invalid/?key=s3cr3t")).toMatchObject({
      code: "server_exit",
      facts: { sent: false, host: "no-such-host.invalid" },
    });
  });

  test.each(["http://127.0.0.1/", "not a url"])("no URL of a WebSocket: %s", async (url) => {
    expect((await failure(url)).code).toBe("config");
  });

  test("a header that cannot be sent", async () => {
    const headers = { "x-a": "one\ntwo" };
    expect((await failure("ws://127.0.0.1:1/", { headers })).code).toBe("config");
  });

  test("no answer within the time; given up", async () => {
    const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const url = `ws://127.0.0.1:${listener.port}/`;
    expect(await failure(url, { startTimeoutMs: 50 })).toMatchObject({
      code: "server_start",
      facts: { timeoutMs: 50, sent: false },
    });
    const abort = new AbortController();
    const opening = failure(url, { signal: abort.signal });
    abort.abort();
    expect((await opening).code).toBe("cancelled");
    expect((await failure(url, { signal: abort.signal })).code).toBe("cancelled");
    listener.stop(true);
  });

  test("the connection ends instead of an answer, and no HTTP", async () => {
    for (const said of ["", "SSH-2.0-OpenSSH\r\n"]) {
      const listener = Bun.listen({
        hostname: "127.0.0.1",
        port: 0,
        socket: { data: (socket) => void socket.end(said) },
      });
      const { code, facts } = await failure(`ws://127.0.0.1:${listener.port}/`);
      expect(["server_start", "server_exit"]).toContain(code);
      expect(facts.sent).toBe(false);
      listener.stop(true);
    }
  });
});
