/** HTTP+SSE: posts that are refused fail their own request, and end the link only where nobody knows us any more. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import type { SseOptions } from "../../lib/transport/sse.ts";
import { event, next, open, request, result, scripted } from "./sse-kit.ts";
import type { Script } from "./sse-kit.ts";

const refusing = (status: number, body: string, type = "text/plain"): Script => ({
  post: () => new Response(body, { status, headers: { "content-type": type } }),
});

describe("posts that are refused", () => {
  test("the first, by nobody: the address was wrong", async () => {
    await using server = scripted({ post: () => new Response("no", { status: 404 }) });
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const error = await peer
      .request("initialize", {}, { timeoutMs: 5000 })
      .catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: "server_start",
      message:
        'server "srv" takes no messages at /messages, which it named for them (HTTP 404): no',
      hint: expect.stringContaining("here /sse"),
    });
  });

  test.each([400, 403, 405, 406, 409, 500, 502])(
    "B049: %d fails its request with the status and the beginning of the body",
    async (status) => {
      await using server = scripted(refusing(status, "<h1>no\nway</h1>"));
      await using link = await open(server.url);
      await link.transport.send(request(3));
      const item = await next(link.transport);
      if (!("failed" in item)) throw new Error("it did not fail");
      const { id, error } = item.failed;
      expect(id).toBe(3);
      expect(error.code).toBe(status === 403 ? "auth_required" : "rpc_error");
      expect(error.message).toBe(
        `server "srv" answered tools/list with HTTP ${status}: <h1>no way</h1>`,
      );
      expect(error.facts).toMatchObject({ httpStatus: status, sent: true, method: "tools/list" });
    },
  );

  test("the JSON-RPC error of a body is the answer, under whatever id", async () => {
    const body = '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"busy"}}';
    await using server = scripted(refusing(400, body, "application/json"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { id: 3, error: { code: -32000, message: "busy" } },
    });
  });

  test("others go on, and so does the link", async () => {
    await using server = scripted({
      post: async (asked) =>
        new Response("", { status: (await asked.text()).includes('"id":1') ? 503 : 202 }),
    });
    await using link = await open(server.url);
    await Promise.all([link.transport.send(request(1)), link.transport.send(request(2))]);
    expect((await next(link.transport)) as unknown).toMatchObject({ failed: { id: 1 } });
    server.write(event(result(2)));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 2 } });
  });

  test("a notification that is refused is thrown to its sender", async () => {
    await using server = scripted(refusing(500, ""));
    await using link = await open(server.url);
    const sending = link.transport.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(((await sending!.catch((error: unknown) => error)) as HostError).code).toBe("rpc_error");
  });

  test.each([404, 410])("%d: the server no longer knows us; the link is lost", async (status) => {
    await using server = scripted(refusing(status, "no such session"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    const item = await next(link.transport);
    if (!("failed" in item)) throw new Error("it did not fail");
    expect(item.failed.error.code).toBe("server_exit");
    expect(item.failed.error.facts).toMatchObject({ sent: false, sessionLost: true });
    expect(await link.transport.closed).toMatchObject({ kind: "error", httpStatus: status });
  });

  test.each([404, 410])("%d with an error under the own id is the answer", async (status) => {
    const body = '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no such file"}}';
    await using server = scripted(refusing(status, body, "application/json"));
    await using link = await open(server.url);
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      message: { id: 3, error: { code: -32602, message: "no such file" } },
    });
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({ message: { id: 3 } });
  });

  test("nobody listens any more: its request fails, unsent", async () => {
    const gone = scripted();
    await gone[Symbol.asyncDispose]();
    const gonePort = new URL(gone.url).port;
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = (url, init) =>
      plain(init?.method === "POST" ? url.replace(new URL(url).port, gonePort) : url, init);
    await using link = await open(server.url, { fetch });
    await link.transport.send(request(3));
    expect((await next(link.transport)) as unknown).toMatchObject({
      failed: { id: 3, error: { code: "server_exit", facts: { sent: false } } },
    });
  });
});
