/** Subscriptions: streams and links that break are opened again, later each time, and bounded. */
import { expect, test } from "bun:test";

import { abortable } from "../../lib/base/async.ts";
import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import type { RequestOptions } from "../../lib/client/types.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { simulatedClock } from "./clock.ts";
import { until } from "./kit.ts";
import { eras, served } from "./served.ts";
import { following, marked, short } from "./subscriptions-kit.ts";

/** A modern client whose streams do what the script says: `hold` opens and waits, `drop` opens and breaks. */
function streams(script: ("drop" | "refuse" | "hold" | "busy" | "away")[]) {
  const filters: unknown[] = [];
  const listeners = new Set<(method: string, params: JsonObject) => void>();
  let id = 0;
  const client = {
    era: "modern" as const,
    capabilities: {},
    closed: new Promise<never>(() => {}),
    onNotification(listener: (method: string, params: JsonObject) => void) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async request(_method: string, params: JsonObject, options: RequestOptions = {}) {
      const step = script.shift() ?? "hold";
      expect(options.timeoutMs).toBe(Number.POSITIVE_INFINITY);
      filters.push(params["notifications"]);
      options.onId?.(++id);
      if (step === "refuse") throw new RpcError({ code: -32602, message: "no" });
      if (step === "busy") throw new RpcError({ code: -32603, message: "full" });
      if (step === "away") throw new HostError("server_exit", "gone", { facts: { sent: false } });
      for (const listener of listeners)
        listener("notifications/subscriptions/acknowledged", {
          notifications: params["notifications"],
          ...marked(id),
        });
      await Bun.sleep(0);
      if (step === "drop") throw new HostError("server_exit", "broke", { facts: { sent: true } });
      return await abortable(new Promise<never>(() => {}), options.signal);
    },
  };
  return { client, filters };
}

test("a stream that breaks is opened again, later each time, and everything counts as stale", async () => {
  const { client, filters } = streams(["drop", "drop", "away", "busy", "hold"]);
  const clock = simulatedClock();
  const topics = { lists: ["tools"], uris: ["a"] } as const;
  const it = following({ client: async () => client, topics, clock });
  await until(() => it.opened.length === 3);
  expect(short(it.heard)).toEqual(["stale", "stale"]);
  // Three quarters of 500, 1000, 2000, 4000: the random part is half, and it is half of that here.
  expect(clock.waits).toEqual([375, 750, 1500, 3000]);
  expect(filters).toHaveLength(5);
  expect(new Set(filters.map((one) => JSON.stringify(one))).size).toBe(1);
  it.stop();
  expect(await it.done).toBe("closed");
});

test("chance spreads the tries, and they are bounded in time and number", async () => {
  for (const [random, first, last] of [
    [0, 250, 15_000],
    [0.999, 499.75, 29_985],
  ] as const) {
    const { client } = streams(["drop", ...Array.from({ length: 50 }, () => "away" as const)]);
    const clock = simulatedClock(random);
    const it = following({ client: async () => client, topics: { lists: ["tools"] }, clock });
    await expect(it.done).rejects.toMatchObject({ code: "server_exit" });
    expect(clock.waits).toHaveLength(20);
    expect(clock.waits[0]).toBeCloseTo(first, 1);
    expect(Math.max(...clock.waits)).toBeCloseTo(last, -1);
  }
});

test("a stream that held for a while is a new beginning", async () => {
  const { client } = streams(["drop", "drop", "drop", "hold"]);
  const clock = simulatedClock();
  const held = { ...client };
  held.request = async (...given: Parameters<typeof client.request>) => {
    try {
      return await client.request(...given);
    } catch (error) {
      await clock.sleep(60_000);
      throw error;
    }
  };
  const it = following({ client: async () => held, topics: { lists: ["tools"] }, clock });
  await until(() => it.opened.length === 4);
  expect(clock.waits.filter((ms) => ms < 60_000)).toEqual([375, 375, 375]);
  it.stop();
});

test("what cannot get better is not tried again", async () => {
  const { client } = streams(["drop", "refuse"]);
  const clock = simulatedClock();
  const it = following({ client: async () => client, topics: { lists: ["tools"] }, clock });
  await expect(it.done).rejects.toBeInstanceOf(RpcError);
});

test.each(eras)("a link that is lost is replaced by the next client (%s)", async (era) => {
  await using first = await served(era);
  await using second = await served(era);
  const clients = [first.client, second.client];
  const clock = simulatedClock();
  const topics = { uris: ["test://a"] };
  const client = async () => clients.shift() ?? second.client;
  const it = following({ client, topics, clock });
  await until(() => it.opened.length === 1);
  first.drop();
  await until(() => it.opened.length === 2);
  second.state.touch("test://a");
  await until(() => it.heard.length === 2);
  expect(short(it.heard)).toEqual(["stale", "test://a"]);
  it.stop();
  expect(await it.done).toBe("closed");
});

test("where one of several cannot be subscribed to, the others are given up again (legacy)", async () => {
  await using far = await served("legacy");
  const { client } = far;
  const picky = {
    ...client,
    request: (method: string, params: JsonObject, options?: RequestOptions) =>
      params["uri"] === "test://no"
        ? Promise.reject(new RpcError({ code: -32002, message: "not found" }))
        : client.request(method, params, options),
  };
  const topics = { uris: ["test://a", "test://no"] };
  const it = following({ client: async () => picky, topics });
  await expect(it.done).rejects.toMatchObject({ code: -32002 });
  expect(far.methods().slice(-2)).toEqual(["resources/subscribe", "resources/unsubscribe"]);
});

test("nothing is opened for a signal that has fired", async () => {
  const { client, filters } = streams([]);
  const topics = { lists: ["tools"] } as const;
  const signal = AbortSignal.abort();
  expect(await following({ client: async () => client, topics, signal }).done).toBe("closed");
  expect(filters).toEqual([]);
});
