/** Streamable HTTP: a session that the server no longer knows ends the link, and nothing of it was done. */
import { describe, expect, test } from "bun:test";

import {
  event,
  eventStream,
  failure,
  greet,
  open,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import { refused } from "./http-kit.ts";

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
