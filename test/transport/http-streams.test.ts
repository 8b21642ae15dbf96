/** Streamable HTTP: streams of events, their end without the answer, their resumption, and the server's own stream. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { isResponse } from "../../lib/protocol/jsonrpc.ts";
import { createFetch } from "../../lib/transport/fetch.ts";
import { openHttp } from "../../lib/transport/http.ts";
import type { Incoming } from "../../lib/transport/transport.ts";
import {
  answer,
  event,
  eventStream,
  failure,
  greet,
  modern,
  open,
  plain,
  serve,
  serveRaw,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import type { Seen, Stream } from "../fixtures/http/kit.ts";

const reply = (id: unknown = 1, result: object = { ok: true }) => ({ jsonrpc: "2.0", id, result });
/** As servers write it that know of no blank line. */
const lineOf = (message: object) => `data: ${JSON.stringify(message)}\n`;
const progress = (value: number, token: unknown = 1) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: token, progress: value },
});
const note = (n: number) => ({
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: n },
});
/** As servers are reached outside of tests: it tells what went wrong. */
const ownFetch = () => createFetch({ name: "srv", log: () => {} });
const events = (text: string) => new Response(text, { headers: eventStream });

/** One modern request that is answered with this stream. */
async function ask(text: string | Uint8Array, options: Parameters<typeof open>[1] = {}) {
  await using server = serve((seen) =>
    seen.method === "first" ? new Response(text, { headers: eventStream }) : answer(seen),
  );
  await using link = open(server.url, options);
  const outcome: { text?: string; error?: any } = await link.peer
    .request("first", modern(), soon)
    .then(
      (found) => ({ text: found.text }),
      (error: unknown) => ({ error }),
    );
  await link.peer.request("second", modern(), soon);
  return { ...outcome, link, gets: server.of("GET").length };
}

describe("an answer in a stream", () => {
  test("B046: behind comments, heartbeats, empty data, other events and nonsense", async () => {
    const text = [
      ": a comment\n\n",
      ":\n\n",
      "data:\n\n",
      "event: ping\ndata: {}\n\n",
      'event: endpoint\ndata: {"jsonrpc":"2.0","id":1,"result":{"wrong":1}}\n\n',
      'data: {"type":"heartbeat"}\n\n',
      "retry: x\n\n",
      "id: a\0b\n\n",
      "unknown: field\n\n",
      event(reply()),
    ];
    const { text: found, link } = await ask(text.join(""));
    expect(found).toBe(JSON.stringify(reply()));
    expect(link.said("warn")).toEqual([]);
  });

  test("B044: over several data lines", async () => {
    const { text } = await ask(
      'event: message\r\ndata: {"jsonrpc":"2.0",\r\ndata: "id":1,\r\ndata: "result":{"a":1.0}}\r\n\r\n',
    );
    expect(text).toBe('{"jsonrpc":"2.0","id":1,"result":{"a":1.0}}');
  });

  test.each(["\n", "\r\n", "\r"])("with the line end %j, and a byte order mark", async (eol) => {
    const text = `\uFEFFevent: message${eol}data: ${JSON.stringify(reply())}${eol}${eol}`;
    expect((await ask(text)).text).toBe(JSON.stringify(reply()));
  });

  test("cut in the middle of characters and line ends", async () => {
    const bytes = new TextEncoder().encode(
      event(reply(1, { text: "grüße 🎉" })).replaceAll("\n", "\r\n"),
    );
    await using server = serve(() => {
      const { response, write, end } = stream();
      for (const byte of bytes) write(new Uint8Array([byte]));
      end();
      return response;
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ text: "grüße 🎉" });
  });

  test("B043, O008: JSON and streams in turn, with and without an event line", async () => {
    await using server = serve((seen) => {
      const body = JSON.stringify(reply(seen.id));
      if (seen.method === "json") return new Response(body);
      return events(`${seen.method === "named" ? "event: message\n" : ""}data: ${body}\n\n`);
    });
    await using link = open(server.url);
    for (const method of ["json", "named", "json", "plain"])
      expect((await link.peer.request(method, modern(), soon)).response.result).toEqual({
        ok: true,
      });
  });

  test.each<[string, string]>([
    ["its last event without a blank line", `event: message\ndata: ${JSON.stringify(reply())}\n`],
    ["and without the end of its line", `id: 1\ndata: ${JSON.stringify(reply())}`],
    ["no event at all, but JSON", JSON.stringify(reply())],
    ["JSON over several lines", `\n${JSON.stringify(reply(), null, 2)}\r\n`],
    ["JSON that is an array", JSON.stringify([note(1), reply()])],
  ])("that is not as it should be: %s", async (_name, text) => {
    const { text: found, gets } = await ask(text);
    expect(JSON.parse(found ?? "null")).toEqual(reply());
    expect(gets).toBe(0);
  });

  test.each<[string, string[]]>([
    ["an event without a blank line", [`event: message\ndata: ${JSON.stringify(reply())}\n`]],
    ["one without the end of its line", [`data: ${JSON.stringify(reply())}`]],
    ["two without blank lines", [`data: ${JSON.stringify(progress(1))}\n`, lineOf(reply())]],
    ["two that come together", [`${lineOf(progress(1))}${lineOf(reply())}`]],
    ["JSON over several lines", [JSON.stringify(reply(), null, 2)]],
    ["one behind another that is whole", [event(progress(1)), lineOf(reply())]],
  ])("on a stream that stays open: %s", async (_name, [first, ...chunks]) => {
    await using server = serve(() => {
      const { response, write } = stream(first);
      for (const chunk of chunks) write(chunk);
      return response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ ok: true });
    await until(() => server.pending() === 0);
  });

  test("half of an event is waited for, however it looks", async () => {
    const text = event(reply(1, { list: [{ a: {} }] }));
    await using server = serve(() => {
      const { response, write } = stream(text.slice(0, text.indexOf("}") + 1));
      setTimeout(() => write(text.slice(text.indexOf("}") + 1)), 300);
      return response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ list: [{ a: {} }] });
  });

  test("JSON in its place, cut anywhere", async () => {
    const bytes = new TextEncoder().encode(
      JSON.stringify(reply(1, { text: "grüße 🎉\n" }), null, 1),
    );
    await using server = serve(() => {
      const { response, write, end } = stream(" ");
      for (const byte of bytes) write(new Uint8Array([byte]));
      end();
      return response;
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ text: "grüße 🎉\n" });
  });

  test.each<[string, Record<string, string>]>([
    ["application/json", { "content-type": "application/json" }],
    ["text/plain", { "content-type": "text/plain" }],
    ["a length", { "content-type": "application/json", "content-length": "" }],
  ])("that is called something else: %s", async (_name, headers) => {
    const text = `: hello\n\n${event(progress(1))}event: message\n${event(reply())}`;
    await using server = serve((seen) => {
      if (seen.method !== "first") return undefined;
      if ("content-length" in headers)
        return new Response(text, { headers: { "content-type": "application/json" } });
      return new Response(new Blob([text]).stream(), { headers });
    });
    await using link = open(server.url);
    const { response } = await link.peer.request("first", modern(), soon);
    expect(response.result).toEqual({ ok: true });
  });

  test("that is called JSON, and stays open", async () => {
    await using server = serve(() => {
      const { response } = stream(event(reply()));
      return new Response(response.body, { headers: { "content-type": "application/json" } });
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    const { response } = await link.peer.request("a", modern(), soon);
    expect(response.result).toEqual({ ok: true });
    await until(() => server.pending() === 0);
  });

  test("an array in an event (2025-03-26)", async () => {
    expect((await ask(event([note(1), reply()]))).text).toBe(JSON.stringify(reply()));
  });

  test("a JSON-RPC error without an id, or under a status that is none of a success", async () => {
    const error = { code: -32602, message: "no" };
    expect((await ask(event({ jsonrpc: "2.0", id: null, error }))).error).toMatchObject(error);
    await using server = serve(
      () =>
        new Response(event({ jsonrpc: "2.0", id: 1, error }), {
          status: 400,
          headers: eventStream,
        }),
    );
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", modern(), soon))).toMatchObject(error);
  });

  test("one too large fails its request with its id, and the stream goes on", async () => {
    const large = event(reply(1, { text: "x".repeat(50_000) }));
    const heard: number[] = [];
    const { error } = await ask(large + event(note(1)), {
      responseBytesMax: 10_000,
      peer: { onNotification: () => void heard.push(1) },
    });
    expect(error).toMatchObject({ code: "rpc_error", facts: { bytesMax: 10_000 } });
    expect(heard).toEqual([1]);
  });

  test("answers of one request may come on the stream of another", async () => {
    const streams = new Map<string, Stream>();
    await using server = serve((seen) => {
      const own = stream();
      streams.set(seen.method ?? "", own);
      return own.response;
    });
    await using link = open(server.url);
    const [a, b] = ["a", "b"].map((method) => link.peer.request(method, {}, soon));
    await until(() => streams.size === 2);
    streams.get("a")?.write(event(reply(2, { for: "b" })) + event(reply(1, { for: "a" })));
    expect((await a)?.response.result).toEqual({ for: "a" });
    expect((await b)?.response.result).toEqual({ for: "b" });
  });

  test("a stream that stays open behind its answer is left after a while", async () => {
    const held: Seen[] = [];
    await using server = serve((seen) => {
      held.push(seen);
      return stream(event(reply())).response;
    });
    await using link = open(server.url, { times: { lingerMs: 30 } });
    await link.peer.request("a", modern(), soon);
    await until(() => held[0]?.signal.aborted === true);
  });
});

describe("B043: a stream that ends without the answer fails its request at once", () => {
  test.each<[string, string]>([
    ["nothing but headers", ":\n\n"],
    ["progress, then the end", event(progress(1))],
    ["an event that was cut", `data: ${JSON.stringify(reply()).slice(0, -1)}\n`],
    ["an id, but modern", "id: 1\nretry: 1\ndata:\n\n"],
  ])("%s", async (_name, text) => {
    const { error, gets } = await ask(text);
    expect(error).toMatchObject({
      code: "server_exit",
      message: 'server "srv" ended its stream without an answer to first',
      facts: { server: "srv", method: "first", httpStatus: 200, sent: true },
    });
    expect(gets).toBe(0);
  });

  test("what it said in an event of another name is told", async () => {
    const { error } = await ask('event: error\ndata: {"message":"boom"}\n\n');
    expect(error).toMatchObject({
      code: "server_exit",
      message:
        'server "srv" ended its stream without an answer to first (it sent an event "error": {"message":"boom"})',
    });
  });

  test("the socket is destroyed in the middle of an event", async () => {
    const head =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    await using server = serveRaw((socket) => {
      socket.write(`${head}a\r\ndata: {"js\r\n`);
      setTimeout(() => socket.terminate(), 10);
    });
    await using link = open(server.url);
    expect(await failure(link.peer.request("a", modern(), soon))).toMatchObject({
      code: "server_exit",
      message: 'server "srv" lost its stream without an answer to a',
      facts: { sent: true },
    });
  });

  test("and says under which id it answered instead", async () => {
    const { error } = await ask(event(reply(77)));
    expect(error).toMatchObject({ code: "server_exit", facts: { stray: "77" } });
  });
});

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

describe("the server's own stream", () => {
  const refusals: [string, () => Response][] = [
    ...[400, 401, 403, 404, 405, 406, 409, 500, 501].map((status): [string, () => Response] => [
      `B031: ${status}`,
      () => new Response("No sessionId", { status }),
    ]),
    ["B032: JSON", () => Response.json({ error: "no" })],
    ["B028: a page", () => new Response("<p>", { headers: { "content-type": "text/html" } })],
    ["204", () => new Response(null, { status: 204 })],
  ];

  test.each(refusals)("%s is harmless, said once, and not asked again", async (_name, refuse) => {
    await using server = serve((seen) => (seen.http === "GET" ? refuse() : undefined));
    await using link = open(server.url, { times: { reconnectMs: 1 } });
    await greet(link.peer);
    await until(() => link.said("debug").some((text) => text.includes("no stream of its own")));
    for (let n = 0; n < 20; n++) await link.peer.request("tools/list", {}, soon);
    expect(server.of("GET")).toHaveLength(1);
    expect(link.said("warn")).toEqual([]);
  });

  test("B032: one that ends at once is opened a few times, ever later", async () => {
    await using server = serve((seen) => (seen.http === "GET" ? events(":\n\n") : undefined));
    await using link = open(server.url, { times: { reconnectMs: 10 } });
    await greet(link.peer);
    await until(() => link.said("debug").some((text) => text.includes("too often")));
    const at = server.of("GET").map((seen) => seen.at);
    expect(at).toHaveLength(5);
    const waits = at.slice(1).map((time, index) => time - at[index]!);
    for (const [index, wait] of waits.entries())
      expect(wait).toBeGreaterThanOrEqual(10 * 2 ** index - 2);
    await link.peer.request("tools/list", {}, soon);
  });

  test("what comes on it is handed on; it is resumed behind its last event, without repeating", async () => {
    const bodies = [
      event(note(1), "g1") + event(note(2), "g2"),
      `retry: 30\n\n${event(note(2), "g2")}${event(note(3), "g3")}`,
    ];
    await using server = serve((seen) => {
      if (seen.http !== "GET") return undefined;
      const body = bodies.shift();
      return body === undefined ? new Response(null, { status: 405 }) : events(body);
    });
    const heard: unknown[] = [];
    await using link = open(server.url, {
      peer: { onNotification: (_method, params) => void heard.push(params.data) },
    });
    await greet(link.peer);
    await until(() => server.of("GET").length === 3);
    expect(heard).toEqual([1, 2, 3]);
    expect(server.of("GET").map(({ headers }) => headers["last-event-id"])).toEqual([
      undefined,
      "g2",
      "g3",
    ]);
  });

  test.each([404, 410, 400])(
    "one that was there and is refused with %i has lost its session: the link ends",
    async (status) => {
      const bodies = [events(event(note(1), "g1"))];
      await using server = serve((seen) => {
        if (seen.http !== "GET") return undefined;
        return bodies.shift() ?? new Response("no such session", { status });
      });
      await using link = open(server.url);
      await greet(link.peer);
      expect(await link.transport.closed).toMatchObject({ kind: "error", httpStatus: status });
      expect(server.of("DELETE")).toHaveLength(0);
    },
  );

  test("one without a session is only not offered any more", async () => {
    const bodies = [events(event(note(1), "g1"))];
    await using server = serve((seen) => {
      if (seen.http === "GET") return bodies.shift() ?? new Response("no", { status: 404 });
      return seen.method === "initialize" ? plain(seen, "") : undefined;
    });
    await using link = open(server.url);
    await greet(link.peer);
    await until(() => link.said("debug").some((text) => text.includes("not offered any more")));
    await link.peer.request("tools/list", {}, soon);
  });

  test("where nothing listens any more, the link ends", async () => {
    await using server = serve((seen) => (seen.http === "GET" ? stream().response : undefined));
    await using link = open(server.url, { times: { reconnectMs: 5 }, fetch: ownFetch() });
    await greet(link.peer);
    await until(() => server.of("GET").length === 1);
    await server[Symbol.asyncDispose]();
    expect(await link.transport.closed).toMatchObject({
      kind: "error",
      how: "is not there any more (ECONNREFUSED)",
    });
  });

  test("it delays nothing: a server that never answers the GET is used all the same", async () => {
    await using server = serve((seen) =>
      seen.http === "GET" ? new Promise<Response>(() => {}) : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
  });

  test("a modern server is never asked for one", async () => {
    await using server = serve((seen) => answer(seen));
    await using link = open(server.url);
    await link.peer.request("a", modern(), soon);
    await Bun.sleep(5);
    expect(server.of("GET")).toHaveLength(0);
  });
});

/** Params of a modern request that wants to hear of progress. */
function withToken(id: number): JsonObject {
  return { _meta: { ...(modern()._meta as JsonObject), progressToken: id } };
}

describe("for a long time", () => {
  test("progress keeps a request alive far beyond its idle time, in order", async () => {
    await using server = serve((seen) => {
      const own = stream();
      let n = 0;
      const timer = setInterval(() => {
        own.write(event(progress(++n, seen.id)));
        if (n < 60) return;
        clearInterval(timer);
        own.write(event(reply(seen.id)));
        own.end();
      }, 10);
      return own.response;
    });
    await using link = open(server.url);
    const seen: number[] = [];
    await link.peer.request("slow", withToken, {
      timeoutMs: 300,
      timeoutMaxMs: 60_000,
      onProgress: ({ progress: value }) => void seen.push(value),
    });
    expect(seen).toEqual(Array.from({ length: 60 }, (_, index) => index + 1));
  });

  test("no quiet stream is dropped by us: no limit on silence is set", async () => {
    const inits: any[] = [];
    const quiet = stream();
    await using server = serve((seen) => (seen.method === "listen" ? quiet.response : undefined));
    await using link = open(server.url, {
      fetch: async (url, init) => {
        inits.push(init);
        return await fetch(url, init);
      },
    });
    const call = link.peer.request("listen", modern(), { timeoutMs: 60_000 });
    await until(() => server.of("listen").length === 1);
    await Bun.sleep(400);
    quiet.write(event(reply()));
    await call;
    for (const init of inits) expect(init.timeout).toBe(false);
  });
});

test("everything comes in order, and no faster than it is taken", async () => {
  const count = 5000;
  await using server = serve((seen) =>
    events(
      Array.from({ length: count }, (_, n) => event(note(n))).join("") + event(reply(seen.id)),
    ),
  );
  const transport = openHttp({
    name: "srv",
    url: server.url,
    fetch: async (url, init) => await fetch(url, init),
    log: () => {},
  });
  await transport.send({ jsonrpc: "2.0", id: 1, method: "a", params: modern() });
  const items: Incoming[] = [];
  for await (const item of transport.incoming) {
    items.push(item);
    if (items.length % 1000 === 0) await Bun.sleep(1);
    if ("message" in item && isResponse(item.message)) break;
  }
  expect(items).toHaveLength(count + 1);
  expect(items[4321]).toMatchObject({ message: { params: { data: 4321 } } });
  await transport[Symbol.asyncDispose]();
});

test("of streams that answer what has no answer, a few are read at once", async () => {
  let [asked, answered, reading] = [0, 0, 0];
  const ping = () => event({ jsonrpc: "2.0", id: `s${asked++}`, method: "ping" });
  const twoAsks = () => stream(ping() + ping()).response;
  await using server = serve((seen) => {
    if (seen.method === "first") return twoAsks();
    if (seen.http !== "POST" || seen.method !== undefined || asked >= 200) return undefined;
    answered += 1;
    reading += 1;
    seen.signal.addEventListener("abort", () => void (reading -= 1));
    return twoAsks();
  });
  await using link = open(server.url, { peer: { onRequest: async () => ({}) } });
  await greet(link.peer);
  void link.peer.request("first", {}, soon).catch(() => {});
  await until(() => answered >= 18);
  await until(() => reading <= 8);
});
