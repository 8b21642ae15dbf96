/** Sessions of servers that are reached by a URL: ended when we leave, and opened anew not for ever. */
import { expect, test } from "bun:test";

import { serveRemote } from "../fixtures/remote/server.ts";
import { answering, echo, hostOf, opened, refused } from "./remote-kit.ts";

test("leaving ends the session, and does not wait for a server that does not answer", async () => {
  for (const hangs of [false, true]) {
    await using server = await serveRemote({
      transport: "http",
      intercept: ({ method }) => (method === "DELETE" && hangs ? new Promise(() => {}) : undefined),
    });
    const host = opened({ url: server.url });
    expect(await echo(host, "hi")).toBe("hi");
    await host.leave();
    const last = server.requests.filter(({ method }) => method === "DELETE");
    expect(last).toHaveLength(1);
    expect(last[0]?.headers["mcp-session-id"]).toBeDefined();
  }
});

test("a session that came with a refused probe is ended", async () => {
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("server/discover", (id) => {
      const refusal = refused(id, { code: -32000, message: "initialize first" });
      refusal.headers.set("mcp-session-id", "stray");
      return refusal;
    }),
  });
  await using host = await hostOf(server);
  expect(await echo(host, "hi")).toBe("hi");
  const ended = server.requests.filter(({ method }) => method === "DELETE");
  expect(ended.map(({ headers }) => headers["mcp-session-id"])).toEqual(["stray"]);
});

test("a session that is lost again and again is reported, not opened for ever", async () => {
  // B040, B041
  await using server = await serveRemote({
    transport: "http",
    intercept: answering("tools/call", () =>
      refused(null, { code: -32000, message: "Session not found" }),
    ),
  });
  await using host = await hostOf(server);
  const outcome = await host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(outcome).toMatchObject({ status: "failed", error: { code: "server_exit" } });
  expect(server.methods().filter((method) => method === "initialize")).toHaveLength(2);
  expect(server.methods().filter((method) => method === "tools/call")).toHaveLength(2);
  for (const { message, headers } of server.requests)
    if (message !== undefined && "method" in message && message.method === "initialize")
      expect(headers["mcp-session-id"]).toBeUndefined();
});
