/** Streamable HTTP: errors that speak of a session, or seem to, and are the answer all the same. */
import { describe, expect, test } from "bun:test";

import { event, eventStream, failure, greet, open, serve, soon } from "../fixtures/http/kit.ts";
import { refused } from "./http-kit.ts";

const wrongSession = (id: unknown, status: number) => {
  const error = { code: -32602, message: "Invalid params: Invalid or expired session" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status });
};

describe("a session that is lost", () => {
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
    ["200, as if arguments were wrong", (id) => wrongSession(id, 200)],
    ["400, as if arguments were wrong", (id) => wrongSession(id, 400)],
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

  test("a session that a call speaks of itself is none of ours", async () => {
    await using server = serve(({ method, id }) =>
      method === "tools/call" ? wrongSession(id, 200) : undefined,
    );
    await using link = open(server.url);
    await greet(link.peer);
    const params = { name: "click", arguments: { session: "s1" } };
    expect(await failure(link.peer.request("tools/call", params, soon))).toMatchObject({
      code: -32602,
    });
    await link.peer.request("tools/list", {}, soon);
    expect(server.of("initialize")).toHaveLength(1);
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
});
