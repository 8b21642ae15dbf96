/** Streamable HTTP: a legacy stream that broke is resumed behind its last event, a bounded number of times. */
import { describe, expect, test } from "bun:test";

import { event, failure, greet, open, serve, soon, stream, until } from "../fixtures/http/kit.ts";
import type { Seen } from "../fixtures/http/kit.ts";
import { events, note, ownFetch, reply } from "./http-kit.ts";

/** Greeted; `call` is answered by these streams, one after the other: the first by POST, the others by GET. */
async function resumable(parts: (Response | "refuse")[], times = { reconnectMs: 20 }) {
  const gets: Seen[] = [];
  const server = serve((seen) => {
    if (seen.method === "call") return parts.shift() as Response;
    if (seen.http !== "GET" || seen.headers["last-event-id"] === undefined) return undefined;
    gets.push(seen);
    const part = parts.shift() ?? "refuse";
    return part === "refuse" ? new Response("no", { status: 503 }) : part;
  });
  const heard: unknown[] = [];
  const onNotification = (_method: string, params: any) => void heard.push(params.data);
  const link = open(server.url, { times, peer: { onNotification } });
  await greet(link.peer);
  const call = link.peer.request("call", {}, soon);
  const dispose = async () => {
    await link.peer[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  };
  return { call, gets, heard, link, server, [Symbol.asyncDispose]: dispose };
}

describe("resumption of a legacy stream", () => {
  test("an id beyond Latin-1 comes back as the bytes of UTF-8", async () => {
    await using it = await resumable([
      events("id: 😀é\nretry: 1\ndata:\n\n"),
      events(event(reply(2))),
    ]);
    expect((await it.call).response.result).toEqual({ ok: true });
    const id = it.gets[0]?.headers["last-event-id"] ?? "";
    expect(Buffer.from(id, "latin1").toString()).toBe("😀é");
  });

  test("B043 (d): by GET behind the last event, with the session, after the time that was asked for", async () => {
    const startedAt = performance.now();
    await using it = await resumable([
      events("id: e1\nretry: 120\ndata:\n\n"),
      events(event(reply(2), "e2")),
    ]);
    expect((await it.call).response.result).toEqual({ ok: true });
    expect(it.gets).toHaveLength(1);
    expect(it.gets[0]?.headers).toMatchObject({
      "last-event-id": "e1",
      "mcp-session-id": "session-1",
      "mcp-protocol-version": "2025-11-25",
      accept: "text/event-stream",
    });
    expect(it.gets[0]!.at - startedAt).toBeGreaterThan(115);
    expect(it.server.of("call")).toHaveLength(1);
  });

  test("as often as there is something new, each time behind the last event", async () => {
    const parts = Array.from({ length: 8 }, (_, n) => events(event(note(n), `e${n}`)));
    await using it = await resumable([...parts, events(event(reply(2)))]);
    await it.call;
    expect(it.gets.map(({ headers }) => headers["last-event-id"])).toEqual(
      parts.map((_, n) => `e${n}`),
    );
    expect(it.heard).toEqual(parts.map((_, n) => n));
  });

  test("what is replayed is handed on once", async () => {
    const old = event(note(1), "e1") + event(note(2), "e2");
    await using it = await resumable([
      events(old),
      events(old + event(note(3), "e3")),
      events(old + event(note(3), "e3") + event(reply(2), "e4") + event(reply(2), "e4")),
    ]);
    await it.call;
    expect(it.heard).toEqual([1, 2, 3]);
    expect(it.link.said("warn")).toEqual([]);
  });

  test("events under one and the same id are no replays on one connection", async () => {
    await using it = await resumable([
      events(event(note(1), "x") + event(note(2), "x") + event(reply(2), "x")),
    ]);
    await it.call;
    expect(it.heard).toEqual([1, 2]);
  });

  test("a server that cannot now is asked again", async () => {
    await using it = await resumable([
      events(event(note(1), "e1")),
      "refuse",
      "refuse",
      events(event(reply(2))),
    ]);
    await it.call;
    expect(it.gets).toHaveLength(3);
  });

  test("a bounded number of times", async () => {
    const nothing = Array.from({ length: 20 }, () => events(":\n\n"));
    await using it = await resumable([events(event(note(1), "e1")), ...nothing], {
      reconnectMs: 2,
    });
    expect(await failure(it.call)).toMatchObject({ code: "server_exit", facts: { sent: true } });
    expect(it.gets).toHaveLength(5);
  });

  test("not where it is refused for good, nor without an id, nor after giving up", async () => {
    await using refused = await resumable([
      events(event(note(1), "e1")),
      new Response("no", { status: 405 }),
    ]);
    expect(await failure(refused.call)).toMatchObject({ code: "server_exit" });
    expect(refused.gets).toHaveLength(1);
    await using bare = await resumable([events(event(note(1)))]);
    expect(await failure(bare.call)).toMatchObject({ code: "server_exit" });
    expect(bare.gets).toHaveLength(0);
    await using empty = await resumable([events(event(note(1), "e1") + event(note(1), ""))]);
    expect(await failure(empty.call)).toMatchObject({ code: "server_exit" });
    expect(empty.gets).toHaveLength(0);
  });

  test("where nothing listens any more it is tried twice, said, and given up", async () => {
    const body = stream(event(note(1), "e1"));
    await using server = serve((seen) => (seen.method === "call" ? body.response : undefined));
    const heard = Promise.withResolvers<void>();
    const peer = { onNotification: () => heard.resolve() };
    await using link = open(server.url, { times: { reconnectMs: 5 }, fetch: ownFetch(), peer });
    await greet(link.peer);
    const call = failure(link.peer.request("call", {}, soon));
    await heard.promise;
    await server[Symbol.asyncDispose]();
    expect(await call).toMatchObject({
      code: "server_exit",
      message: expect.stringMatching(/call, and is not there any more \(ECONNREFUSED\)$/),
      facts: { sent: true },
    });
    expect(link.said("info")).toEqual([
      expect.stringMatching(/^the connection was lost, trying again: .*nothing listens/),
    ]);
  });

  test("does not outlive the link", async () => {
    const it = await resumable([events("id: 1\nretry: 60000\ndata:\n\n")]);
    const call = failure(it.call);
    await until(() => it.server.of("call").length === 1);
    await it[Symbol.asyncDispose]();
    expect(await call).toMatchObject({ code: "server_exit" });
    expect(it.gets).toHaveLength(0);
  });
});
