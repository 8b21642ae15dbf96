/** Streamable HTTP: the server's own stream is opened, resumed, and done without where there is none. */
import { describe, expect, test } from "bun:test";

import {
  answer,
  event,
  greet,
  modern,
  open,
  plain,
  serve,
  soon,
  stream,
  until,
} from "../fixtures/http/kit.ts";
import { events, note, ownFetch } from "./http-kit.ts";

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
