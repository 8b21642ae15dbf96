/** Streamable HTTP: what a legacy server gets, from its session and revision to its own stream. */
import { describe, expect, test } from "bun:test";

import { answer, event, greet, open, serve, soon, stream, until } from "../fixtures/http/kit.ts";
import type { Stream } from "../fixtures/http/kit.ts";

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
