/** Streamable HTTP: the end of the link by us, told to the server in bounded time. */
import { describe, expect, test } from "bun:test";

import type { Fetch } from "../../lib/transport/remote.ts";
import {
  answer,
  eventStream,
  failure,
  greet,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";

/** A way to the server that takes its time. */
const slowFetch: Fetch = async (url, init) => {
  await Bun.sleep(30);
  init?.signal?.throwIfAborted();
  return await fetch(url, init);
};

describe("the end", () => {
  test.each([true, false])("lets a cancellation out first (with a session: %p)", async (isHeld) => {
    await using server = serve((seen) => {
      if (seen.method === "initialize" && !isHeld)
        return answer(seen, { protocolVersion: "2025-11-25" });
      return seen.method === "slow" ? stream().response : undefined;
    });
    const link = open(server.url, { fetch: slowFetch });
    await greet(link.peer);
    const scope = new AbortController();
    const call = failure(link.peer.request("slow", {}, { ...soon, signal: scope.signal }));
    await until(() => server.of("slow").length === 1);
    scope.abort("enough");
    await link.peer[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ code: "cancelled" });
    expect(server.of("notifications/cancelled")).toHaveLength(1);
    expect(server.seen.map(({ http }) => http).at(-1)).toBe(isHeld ? "DELETE" : "POST");
  });

  test("waits for a server that does not take it for a bounded time alone", async () => {
    await using server = serve((seen) =>
      seen.method === "notifications/x" ? new Promise<Response>(() => {}) : undefined,
    );
    const link = open(server.url, { times: { tellMs: 50 } });
    await greet(link.peer);
    const telling = failure(link.peer.notify("notifications/x"));
    await link.peer[Symbol.asyncDispose]();
    expect(await telling).toMatchObject({ code: "server_exit" });
  });

  test("is told to the server in bounded time, whatever it says to that", async () => {
    await using server = serve((seen) =>
      seen.http === "DELETE" ? new Promise<Response>(() => {}) : undefined,
    );
    const link = open(server.url, { times: { deleteMs: 50 } });
    await greet(link.peer);
    await link.peer[Symbol.asyncDispose]();
    expect(server.of("DELETE")).toHaveLength(1);
    expect(await link.peer.closed).toMatchObject({ kind: "local" });
  });

  test("takes with it whatever is open, and nothing can be sent then", async () => {
    const get = stream();
    await using server = serve((seen) => {
      if (seen.http === "GET") return get.response;
      return seen.method === "slow" ? stream().response : undefined;
    });
    const link = open(server.url);
    await greet(link.peer);
    const call = failure(link.peer.request("slow", {}, soon));
    await until(() => server.of("GET").length === 1 && server.of("slow").length === 1);
    await link.peer[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ code: "server_exit", facts: { sent: true } });
    for (const { signal } of [...server.of("GET"), ...server.of("slow")])
      await until(() => signal.aborted);
    expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({
      code: "server_exit",
      facts: { sent: false },
    });
    expect(await failure(link.transport.send({ jsonrpc: "2.0", method: "x" })!)).toMatchObject({
      code: "server_exit",
    });
  });

  test("B043: one exchange that fails takes no other with it", async () => {
    await using server = serve((seen) => {
      if (seen.method === "bad") return new Response(":\n\n", { headers: eventStream });
      return undefined;
    });
    await using link = open(server.url);
    const all = await Promise.allSettled(
      ["good", "bad", "good", "bad"].map((method) => link.peer.request(method, {}, soon)),
    );
    expect(all.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
  });
});
