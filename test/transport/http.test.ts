/** Streamable HTTP: what is sent in each era, the life of a session, giving up, and the end of the link. */
import { describe, expect, test } from "bun:test";

import type { Fetch } from "../../lib/transport/remote.ts";
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
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import type { Seen, Stream } from "../fixtures/http/kit.ts";

/** As a server decodes a header. */
function decode(value = ""): string {
  const found = /^=\?base64\?(.*)\?=$/.exec(value);
  return found === null ? value : Buffer.from(found[1]!, "base64").toString();
}

describe("what a legacy server gets", () => {
  test("the session id and the agreed revision go with everything after initialize, which has neither", async () => {
    await using server = serve(() => undefined);
    await using link = open(server.url);
    await greet(link.peer);
    const { text } = await link.peer.request("tools/list", {}, soon);
    expect(text).toBe('{"jsonrpc":"2.0","id":2,"result":{"from":"tools/list"}}');
    await until(() => server.of("GET").length === 1);
    await link.peer[Symbol.asyncDispose]();
    const [initialize, ...others] = server.seen;
    expect(initialize?.headers["mcp-session-id"]).toBeUndefined();
    expect(initialize?.headers["mcp-protocol-version"]).toBeUndefined();
    expect(others.map(({ http, method }) => method ?? http).toSorted()).toEqual(
      ["DELETE", "GET", "notifications/initialized", "tools/list"].toSorted(),
    );
    for (const { headers } of others)
      expect(headers).toMatchObject({
        "mcp-session-id": "session-1",
        "mcp-protocol-version": "2025-11-25",
      });
    for (const { headers } of server.of("POST"))
      expect(headers).toMatchObject({
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      });
    expect(server.of("GET")[0]?.headers.accept).toBe("text/event-stream");
  });

  test("where somebody answers questions, its own stream is there before the first request", async () => {
    const held = Promise.withResolvers<Response>();
    await using server = serve((seen) => (seen.http === "GET" ? held.promise : undefined));
    await using link = open(server.url, { times: { openMs: 60_000 } });
    const { peer } = link;
    const params = { protocolVersion: "2025-11-25", capabilities: { elicitation: {} } };
    await peer.request("initialize", params, soon);
    const greeted = peer.notify("notifications/initialized").then(() => "greeted");
    await until(() => server.of("GET").length === 1);
    expect(await Promise.race([greeted, Promise.resolve("waits")])).toBe("waits");
    held.resolve(stream().response);
    expect(await greeted).toBe("greeted");
  });

  test("a stream that does not open holds the first request for a bounded time", async () => {
    await using server = serve((seen) =>
      seen.http === "GET" ? new Promise<Response>(() => {}) : undefined,
    );
    await using link = open(server.url, { times: { openMs: 20 } });
    const params = { protocolVersion: "2025-11-25", capabilities: { roots: {} } };
    await link.peer.request("initialize", params, soon);
    await link.peer.notify("notifications/initialized");
    expect((await link.peer.request("tools/list", {}, soon)).response.result).toBeDefined();
  });

  test.each([
    ["2025-06-18", "2025-06-18"],
    ["2025-03-26", undefined],
    ["2024-11-05", undefined],
    // A server that echoes whatever it is asked for does not become modern by it.
    ["2026-07-28", "2025-11-25"],
  ])("O007: %s was agreed on: the header is %p", async (protocolVersion, header) => {
    await using server = serve((seen) =>
      seen.method === "initialize"
        ? answer(seen, { protocolVersion, capabilities: {} })
        : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("tools/list")[0]?.headers["mcp-protocol-version"]).toBe(header);
    expect(server.of("tools/list")[0]?.headers["mcp-session-id"]).toBeUndefined();
  });

  test("a server without sessions is told of no end", async () => {
    await using server = serve((seen) =>
      seen.method === "initialize" ? answer(seen, { protocolVersion: "2025-11-25" }) : undefined,
    );
    const link = open(server.url);
    await greet(link.peer);
    await link.peer[Symbol.asyncDispose]();
    expect(server.of("DELETE")).toHaveLength(0);
  });

  test("its requests are answered by new POSTs, from whatever stream they came", async () => {
    const streams: Stream[] = [];
    await using server = serve((seen) => {
      if (seen.http === "GET" || seen.method === "ask") streams.push(stream());
      return seen.http === "GET" || seen.method === "ask" ? streams.at(-1)?.response : undefined;
    });
    await using link = open(server.url, {
      peer: { onRequest: async (method) => ({ heard: method }) },
    });
    await greet(link.peer);
    await until(() => streams.length === 1);
    const asked = link.peer.request("ask", {}, soon);
    await until(() => streams.length === 2);
    streams[0]?.write(event({ jsonrpc: "2.0", id: "g", method: "roots/list" }));
    streams[1]?.write(event({ jsonrpc: "2.0", id: 7, method: "ping" }));
    await until(() => server.seen.filter(({ result }) => result !== undefined).length === 2);
    const answers = server.seen.filter(({ result }) => result !== undefined);
    expect(Object.fromEntries(answers.map(({ id, result }) => [id, result]))).toEqual({
      g: { heard: "roots/list" },
      7: { heard: "ping" },
    } as object);
    streams[1]?.write(event({ jsonrpc: "2.0", id: 2, result: {} }));
    await asked;
  });
});

describe("what a modern server gets", () => {
  test("the headers repeat the message, those of the call are added, and there is no session", async () => {
    await using server = serve((seen) => answer(seen));
    await using link = open(server.url);
    const params = modern({ name: "grüße", arguments: {} });
    await link.peer.request("tools/call", params, {
      ...soon,
      headers: { "Mcp-Param-Region": "eu" },
    });
    await link.peer[Symbol.asyncDispose]();
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "=?base64?Z3LDvMOfZQ==?=",
      "mcp-param-region": "eu",
      accept: "application/json, text/event-stream",
    });
  });

  test("B059: names that no header can hold", async () => {
    const names = ["café", " pad ", "a\r\nX: y", "=?base64?dGVzdA==?=", "plain_1"];
    await using server = serve((seen) =>
      answer(seen, { same: decode(seen.headers["mcp-name"]) === seen.params?.name }),
    );
    await using link = open(server.url);
    for (const name of names)
      expect(
        (await link.peer.request("tools/call", modern({ name }), soon)).response.result,
      ).toEqual({ same: true });
    expect(server.seen.at(-1)?.headers["mcp-name"]).toBe("plain_1");
  });

  test("a session that a legacy server began for the probe is ended", async () => {
    await using server = serve((seen) =>
      seen.method === "server/discover"
        ? new Response("no", { status: 400, headers: { "mcp-session-id": "by-mistake" } })
        : undefined,
    );
    const link = open(server.url);
    expect(await failure(link.peer.request("server/discover", modern(), soon))).toMatchObject({
      code: "rpc_error",
      facts: { httpStatus: 400 },
    });
    await greet(link.peer);
    await link.peer[Symbol.asyncDispose]();
    const ended = server.of("DELETE").map(({ headers }) => headers["mcp-session-id"]);
    expect(ended).toEqual(["by-mistake", "session-1"]);
  });

  test("one that comes with every other answer of a modern server is left alone", async () => {
    await using server = serve((seen) =>
      answer(seen, {}, { headers: { "mcp-session-id": "all" } }),
    );
    await using link = open(server.url);
    await link.peer.request("server/discover", modern(), soon);
    for (const method of ["tools/list", "tools/call"])
      await link.peer.request(method, modern(), soon);
    expect(server.of("DELETE")).toHaveLength(1);
    expect(link.said("warn")).toEqual([]);
  });
});

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

const refused = (id: unknown, status: number, code: number) =>
  Response.json({ jsonrpc: "2.0", id, error: { code, message: "Unknown session id" } }, { status });

describe("a session that is lost", () => {
  const variants: [string, (id: unknown) => Response][] = [
    ["404 with the SDKs' code under the own id", (id) => refused(id, 404, -32001)],
    ['404 with "invalid request" under the own id', (id) => refused(id, 404, -32600)],
    ['400 with "invalid request" about the session', (id) => refused(id, 400, -32600)],
    [
      "B040: 404 with a JSON-RPC error",
      () =>
        Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32001, message: "Session not found" } },
          { status: 404 },
        ),
    ],
    ["B040: 404 with nothing", () => new Response(null, { status: 404 })],
    [
      "B041: 400 that speaks of the session",
      () =>
        Response.json(
          { jsonrpc: "2.0", id: null, error: { code: -32000, message: "Session not found" } },
          { status: 400 },
        ),
    ],
    [
      "404 as a stream",
      () =>
        new Response(event({ error: "Session not found" }), { status: 404, headers: eventStream }),
    ],
    ["410", () => new Response("gone", { status: 410 })],
    ...[null, "own"].map((of): [string, (id: unknown) => Response] => [
      `400 of a server that was started anew, under the id ${of}`,
      (id) => {
        const error = { code: -32000, message: "Bad Request: Server not initialized" };
        return Response.json({ jsonrpc: "2.0", id: of && id, error }, { status: 400 });
      },
    ]),
  ];

  test.each<[string, (id: unknown) => Response]>([
    ["401", () => new Response("session expired", { status: 401 })],
    ["500", () => new Response("No such session", { status: 500 })],
    ["200", (id) => refused(id, 200, -32001)],
    [
      "200, as a stream",
      (id) =>
        new Response(
          event({ jsonrpc: "2.0", id, error: { code: -32002, message: "Server not initialized" } }),
          { headers: eventStream },
        ),
    ],
  ])("said with %s: that is the answer, and the next request begins another", async (_, refuse) => {
    await using server = serve((seen) =>
      seen.method === "tools/call" ? refuse(seen.id) : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    const error: any = await failure(link.peer.request("tools/call", {}, soon));
    expect(error.facts?.sessionLost).toBeUndefined();
    await link.peer.closed;
    expect(await failure(link.peer.request("tools/list", {}, soon))).toMatchObject({
      facts: { sent: false },
    });
    expect(server.of("tools/call")).toHaveLength(1);
  });

  test.each<[string, (id: unknown) => Response]>([
    ["a tool's error about sessions of its own", (id) => refused(id, 200, -32050)],
    ["a fault", () => new Response("the database session broke", { status: 500 })],
    [
      "what a tool has not prepared",
      (id) => {
        const error = { code: -32000, message: "the database is not initialized" };
        return Response.json({ jsonrpc: "2.0", id, error }, { status: 400 });
      },
    ],
  ])("%s is none of ours", async (_, refuse) => {
    await using server = serve((seen) =>
      seen.method === "tools/call" ? refuse(seen.id) : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await failure(link.peer.request("tools/call", {}, soon));
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("initialize")).toHaveLength(1);
  });

  test.each(variants)(
    "%s: the request was not done, the link ends, all later ones fail the same",
    async (_name, refuse) => {
      await using server = serve((seen) =>
        seen.method?.startsWith("tools") ? refuse(seen.id) : undefined,
      );
      await using link = open(server.url);
      await greet(link.peer);
      const calls = ["tools/list", "tools/call", "tools/call"].map((method) =>
        failure(link.peer.request(method, {}, soon)),
      );
      for (const error of await Promise.all(calls))
        expect(error).toMatchObject({
          code: "server_exit",
          facts: { sent: false, sessionLost: true },
        });
      expect(await link.peer.closed).toMatchObject({
        kind: "error",
        httpStatus: expect.any(Number),
      });
      expect(await failure(link.peer.request("tools/list", {}, soon))).toMatchObject({
        code: "server_exit",
        facts: { sent: false },
      });
      expect(server.of("DELETE")).toHaveLength(0);
    },
  );

  test("what is still being answered may end first", async () => {
    const slow = stream();
    await using server = serve((seen) => {
      if (seen.method === "slow") return slow.response;
      return seen.method === "lost" ? new Response(null, { status: 404 }) : undefined;
    });
    await using link = open(server.url, { times: { settleMs: 5000, lingerMs: 1 } });
    await greet(link.peer);
    const call = link.peer.request("slow", {}, soon);
    await until(() => server.of("slow").length === 1);
    await failure(link.peer.request("lost", {}, soon));
    const early = await failure(link.peer.request("tools/list", {}, soon));
    expect(early).toMatchObject({ facts: { sent: false, sessionLost: true } });
    expect(server.of("tools/list")).toHaveLength(0);
    slow.write(event({ jsonrpc: "2.0", id: 2, result: { ok: 1 } }));
    expect((await call).response.result).toEqual({ ok: 1 });
    await link.peer.closed;
  });

  test("an unknown method may be 404, too, and a plain 400 is an error like any other", async () => {
    await using server = serve((seen) => {
      if (seen.method === "a")
        return Response.json(
          { jsonrpc: "2.0", id: seen.id, error: { code: -32601, message: "none" } },
          { status: 404 },
        );
      return seen.method === "b" ? new Response("bad arguments", { status: 400 }) : undefined;
    });
    await using link = open(server.url);
    await greet(link.peer);
    expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({ code: -32601 });
    expect(await failure(link.peer.request("b", {}, soon))).toMatchObject({
      code: "rpc_error",
      facts: { httpStatus: 400, body: "bad arguments" },
    });
    await link.peer.request("tools/list", {}, soon);
  });

  test.each([
    [400, -32602, "argument session_id is no uuid"],
    [404, -32602, "no such file"],
    [410, -32000, "it was deleted"],
  ])(
    "an error under the request's own id is its answer (HTTP %d)",
    async (status, code, message) => {
      await using server = serve(({ method, id }) => {
        if (method !== "a") return undefined;
        const own = status === 404 ? String(id) : id;
        return Response.json({ jsonrpc: "2.0", id: own, error: { code, message } }, { status });
      });
      await using link = open(server.url);
      await greet(link.peer);
      expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({ code, message });
      await link.peer.request("tools/list", {}, soon);
      expect(server.of("a")).toHaveLength(1);
      expect(server.of("tools/list")[0]?.headers["mcp-session-id"]).toBe("session-1");
    },
  );

  test.each([
    [404, -32000],
    [404, -32603],
    [400, -32000],
  ])(
    "HTTP %d with %d under the own id: it is the answer, and the session is over",
    async (status, code) => {
      await using server = serve(({ method, id }) =>
        method === "a" ? refused(id, status, code) : undefined,
      );
      await using link = open(server.url);
      await greet(link.peer);
      expect(await failure(link.peer.request("a", {}, soon))).toMatchObject({ code });
      expect(await link.peer.closed).toMatchObject({ kind: "error", httpStatus: status });
      expect(server.of("a")).toHaveLength(1);
    },
  );

  test("B041: an initialize never carries the old id", async () => {
    await using server = serve(() => undefined);
    await using link = open(server.url);
    await greet(link.peer);
    await greet(link.peer);
    for (const { headers } of server.of("initialize"))
      expect(headers["mcp-session-id"]).toBeUndefined();
  });

  test("a session lost by a notification ends the link as well", async () => {
    await using server = serve((seen) =>
      seen.method === "notifications/x" ? new Response(null, { status: 404 }) : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.notify("notifications/x");
    expect(await link.peer.closed).toMatchObject({ kind: "error", httpStatus: 404 });
  });
});

describe("session ids that are none", () => {
  test("one with characters that none may have fails initialize, with the reason", async () => {
    await using server = serve((seen) => plain(seen, "a b"));
    await using link = open(server.url);
    expect(await failure(link.peer.request("initialize", {}, soon))).toMatchObject({
      code: "rpc_error",
      message: 'server "srv" gave a session id with characters that none may have',
      facts: { sessionId: "unusable" },
    });
    await link.peer.request("next", modern(), soon);
  });

  test("one that came twice is one", async () => {
    await using server = serve((seen) => plain(seen, "a1, a1"));
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("tools/list")[0]?.headers["mcp-session-id"]).toBe("a1");
    expect(link.said("warn")).toEqual([]);
  });

  test("another one later on is ignored, and said once", async () => {
    await using server = serve((seen) =>
      seen.method === "tools/list"
        ? answer(seen, {}, { headers: { "mcp-session-id": "other" } })
        : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    await link.peer.request("tools/list", {}, soon);
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("tools/list")[1]?.headers["mcp-session-id"]).toBe("session-1");
    expect(link.said("warn")).toEqual([
      "it sent another session id after initialize, which was ignored",
    ]);
  });

  test("a missing one shows in what the server says", async () => {
    await using server = serve((seen) => {
      if (seen.method === "initialize") return answer(seen, { protocolVersion: "2025-11-25" });
      const error = { code: -32000, message: "Mcp-Session-Id header is required" };
      return Response.json({ jsonrpc: "2.0", id: null, error }, { status: 400 });
    });
    await using link = open(server.url);
    await link.peer.request("initialize", { protocolVersion: "2025-11-25" }, soon);
    expect(await failure(link.peer.request("tools/list", {}, soon))).toMatchObject({
      code: -32000,
      message: "Mcp-Session-Id header is required",
    });
  });
});

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
