/** Streamable HTTP: how a server is told, in each era, that a request was given up. */
import { describe, expect, test } from "bun:test";

import {
  answer,
  event,
  failure,
  greet,
  modern,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import type { Seen, Stream } from "../fixtures/http/kit.ts";

describe("giving up", () => {
  test("modern: the stream is closed, and that says it", async () => {
    const held: Seen[] = [];
    await using server = serve((seen) => {
      held.push(seen);
      return seen.method === "slow" ? stream().response : answer(seen);
    });
    await using link = open(server.url);
    const call = link.peer.request("slow", modern(), { timeoutMs: 100 });
    expect(await failure(call)).toMatchObject({ code: "timeout", facts: { sent: true } });
    await until(() => held[0]?.signal.aborted === true);
    await link.peer.request("next", modern(), soon);
    expect(server.of("notifications/cancelled")).toHaveLength(0);
  });

  test("B056, B109: legacy: a notification says it; a late answer disturbs nothing", async () => {
    const streams: Stream[] = [];
    await using server = serve((seen) => {
      if (seen.method !== "slow") return undefined;
      streams.push(stream());
      return streams[0]?.response;
    });
    await using link = open(server.url);
    await greet(link.peer);
    const scope = new AbortController();
    const call = link.peer.request("slow", {}, { ...soon, signal: scope.signal });
    await until(() => streams.length === 1);
    scope.abort("enough");
    expect(await failure(call)).toMatchObject({ code: "cancelled" });
    await until(() => server.of("notifications/cancelled").length === 1);
    expect(server.of("notifications/cancelled")[0]?.params).toMatchObject({ requestId: 2 });
    streams[0]?.write(event({ jsonrpc: "2.0", id: 2, result: { late: true } }));
    const next = await link.peer.request("tools/list", {}, soon);
    expect(next.response.result).toEqual({ from: "tools/list" });
    expect(link.said("warn")).toEqual([]);
  });

  test("before the headers came, too", async () => {
    const held: Seen[] = [];
    await using server = serve((seen) => {
      held.push(seen);
      return new Promise(() => {});
    });
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", modern(), { timeoutMs: 50 }))).toMatchObject({
      code: "timeout",
    });
    await until(() => held[0]?.signal.aborted === true);
  });
});
