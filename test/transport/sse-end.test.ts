/** HTTP+SSE: the end of the stream by either side, and what it means for what still waits. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { createPeer } from "../../lib/transport/peer.ts";
import type { SseOptions } from "../../lib/transport/sse.ts";
import { waitFor } from "../processes.ts";
import { event, open, request, result, scripted } from "./sse-kit.ts";

describe("the end", () => {
  test("the stream ends: what waits is lost, and said so", async () => {
    await using server = scripted();
    await using link = await open(server.url);
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const asked = peer.request("tools/call", {}, { timeoutMs: 10_000 });
    await waitFor(() => server.posts.length === 1);
    server.end();
    const error = (await asked.catch((caught: unknown) => caught)) as HostError;
    expect(error.code).toBe("server_exit");
    expect(error.message).toBe(
      'server "srv" ended its event stream while it was answering tools/call',
    );
    expect(error.facts.sent).toBe(true);
    expect(await link.transport.closed).toMatchObject({ kind: "eof" });
    const later = (await peer
      .request("ping", {}, { timeoutMs: 100 })
      .catch((e: unknown) => e)) as HostError;
    expect(later.facts.sent).toBe(false);
  });

  test("the stream ends while a post finds nobody: that one was not sent", async () => {
    const gone = scripted();
    await gone[Symbol.asyncDispose]();
    const gonePort = new URL(gone.url).port;
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = async (url, init) => {
      if (init?.method !== "POST") return await plain(url, init);
      server.end();
      await Bun.sleep(20);
      return await plain(url.replace(new URL(url).port, gonePort), init);
    };
    await using link = await open(server.url, { fetch });
    await using peer = createPeer(link.transport, { name: "srv", log: () => {} });
    const asking = peer.request("tools/call", {}, { timeoutMs: 10_000 });
    const error = (await asking.catch((caught: unknown) => caught)) as HostError;
    expect(error.facts).toMatchObject({ sent: false, errno: "ECONNREFUSED" });
    expect(await link.transport.closed).toMatchObject({ kind: "eof" });
  });

  test("the stream is cut in the middle of a chunk", async () => {
    await using raw = rawServer((socket) => {
      socket.write(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
      );
      const first = "event: endpoint\ndata: /m\n\n";
      socket.write(`${first.length.toString(16)}\r\n${first}\r\n40\r\ndata: {"jsonrpc":`);
      setTimeout(() => socket.terminate(), 20);
    });
    await using link = await open(raw.url);
    expect(await link.transport.closed).toMatchObject({
      kind: "error",
      how: "lost its event stream",
    });
    expect(await Array.fromAsync(link.transport.incoming)).toEqual([]);
  });

  test("we close: the stream is let go, and nothing can be sent", async () => {
    await using server = scripted();
    const link = await open(server.url);
    await link[Symbol.asyncDispose]();
    expect(await link.transport.closed).toEqual({ kind: "local" });
    await waitFor(() => server.cancelled === 1, "the stream to be let go");
    const sending = link.transport.send(request(1));
    expect(((await sending!.catch((error: unknown) => error)) as HostError).facts.sent).toBe(false);
  });

  test("we close: what has no answer is let out first", async () => {
    await using server = scripted();
    const plain = createFetch({ name: "srv", log: () => {} });
    const fetch: SseOptions["fetch"] = async (url, init) => {
      if (init?.method === "POST") await Bun.sleep(30);
      init?.signal?.throwIfAborted();
      return await plain(url, init);
    };
    const link = await open(server.url, { fetch });
    const telling = link.transport.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
    await link[Symbol.asyncDispose]();
    await telling;
    expect(server.posts).toHaveLength(1);
  });

  test("we close while a post hangs, and while nobody reads what came", async () => {
    const never = Promise.withResolvers<Response>();
    await using server = scripted({ post: () => never.promise });
    const link = await open(server.url);
    const sending = link.transport.send(request(1));
    for (let id = 0; id < 1000; id++) server.write(event(result(id)));
    await waitFor(() => server.posts.length === 1);
    await link[Symbol.asyncDispose]();
    await sending;
    never.resolve(new Response());
  });
});

function rawServer(answer: (socket: Bun.Socket) => void): AsyncDisposable & { url: string } {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => answer(socket) },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/sse`,
    [Symbol.asyncDispose]: async () => listener.stop(true),
  };
}
