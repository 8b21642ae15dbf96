/** Streamable HTTP: long and large streams stay alive, in order, and bounded. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { isResponse } from "../../lib/protocol/jsonrpc.ts";
import { openHttp } from "../../lib/transport/http.ts";
import type { Incoming } from "../../lib/transport/transport.ts";
import { event, greet, modern, open, serve, soon, stream, until } from "../fixtures/http/kit.ts";
import { events, note, progress, reply } from "./http-kit.ts";

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
