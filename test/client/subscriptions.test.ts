import { expect, test } from "bun:test";

import { abortable } from "../../lib/base/async.ts";
import { HostError } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import { silent } from "../../lib/base/log.ts";
import { connect } from "../../lib/client/client.ts";
import { follow } from "../../lib/client/subscriptions.ts";
import type { FollowOptions } from "../../lib/client/subscriptions.ts";
import type { RequestOptions } from "../../lib/client/types.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { simulatedClock } from "./clock.ts";
import { metaOf, modernScript, scripted, until } from "./kit.ts";
import type { Far, Incoming } from "./kit.ts";
import { eras, served } from "./served.ts";

type Heard = Parameters<FollowOptions["onUpdate"]>[0];

interface Following {
  heard: Heard[];
  /** What each opening said was missing. */
  opened: string[][];
  done: Promise<"ended" | "closed">;
  stop(): void;
}

function following(options: Pick<FollowOptions, "client" | "topics"> & Partial<FollowOptions>) {
  const heard: Heard[] = [];
  const opened: string[][] = [];
  const controller = new AbortController();
  const done = follow({
    name: "far",
    log: silent,
    signal: controller.signal,
    onOpen: (missing) => opened.push(missing),
    onUpdate: (update) => heard.push(update),
    ...options,
  });
  done.catch(() => {});
  const stop = () => controller.abort();
  return { heard, opened, done, stop } satisfies Following;
}

/** What was heard, in short. */
const short = (heard: Heard[]) =>
  heard.map((one) =>
    one.kind === "list" ? one.list : one.kind === "resource" ? one.uri : "stale",
  );

const allLists = ["tools", "prompts", "resources"] as const;

test.each(eras)(
  "changes of lists and resources are heard until nobody wants to (%s)",
  async (era) => {
    await using far = await served(era);
    const topics = { lists: allLists, uris: ["test://a", "test://b"] };
    const it = following({ client: async () => far.client, topics });
    await until(() => it.opened.length === 1);
    expect(it.opened).toEqual([[]]);
    far.state.change("tools");
    far.state.touch("test://a");
    far.state.touch("test://c");
    far.state.change("prompts");
    far.state.change("resources");
    far.state.touch("test://b");
    await until(() => it.heard.length >= 5);
    expect(short(it.heard)).toEqual(["tools", "test://a", "prompts", "resources", "test://b"]);
    it.stop();
    expect(await it.done).toBe("closed");
    far.state.touch("test://a");
    await far.client.ping();
    expect(it.heard).toHaveLength(5);
    const told = far.methods().filter((method) => /unsubscribe|cancelled/.test(method));
    expect(told).toEqual(
      era === "legacy"
        ? ["resources/unsubscribe", "resources/unsubscribe"]
        : ["notifications/cancelled"],
    );
  },
);

test("several are open together, each with its own", async () => {
  for (const era of eras) {
    await using far = await served(era);
    const client = async () => far.client;
    const a = following({ client, topics: { uris: ["test://a"] } });
    const b = following({ client, topics: { uris: ["test://b"], lists: ["tools"] } });
    await until(() => a.opened.length + b.opened.length === 2);
    far.state.touch("test://b");
    far.state.touch("test://a");
    far.state.change("tools");
    await until(() => a.heard.length + b.heard.length === 3);
    expect(short(a.heard)).toEqual(["test://a"]);
    expect(short(b.heard)).toEqual(["test://b", "tools"]);
    a.stop();
    await a.done;
    far.state.touch("test://b");
    await until(() => b.heard.length === 3);
    b.stop();
  }
});

/** A modern server whose subscriptions are worked by hand. */
function byHand(ack: (message: Incoming, far: Far) => void) {
  return scripted((message, far) => {
    if (message.method === "subscriptions/listen") return ack(message, far);
    return modernScript()(message, far);
  });
}

const acknowledge = ({ id, params }: Incoming, far: Far, notifications?: JsonObject) =>
  far.send({
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: notifications ?? params["notifications"], ...marked(id) },
  });
const marked = (id: any): JsonObject => ({
  _meta: { "io.modelcontextprotocol/subscriptionId": id },
});
const toolsChanged = "notifications/tools/list_changed";

test("what the server does not honour is said", async () => {
  const far = byHand((message, end) =>
    acknowledge(message, end, { toolsListChanged: true, resourceSubscriptions: ["b"] }),
  );
  await using client = await connect(far.options);
  const topics = { lists: ["tools", "prompts"], uris: ["a", "b"] } as const;
  const it = following({ client: async () => client, topics });
  await until(() => it.opened.length === 1);
  expect(it.opened).toEqual([["the prompts list", "a"]]);
  it.stop();
});

test("a server that honours nothing is an error, in both eras", async () => {
  const far = byHand((message, end) => acknowledge(message, end, {}));
  await using client = await connect(far.options);
  const it = following({ client: async () => client, topics: { lists: ["tools"] } });
  await expect(it.done).rejects.toMatchObject({ code: "rpc_error" });

  await using legacy = await served("legacy");
  const bare = { ...legacy.client, capabilities: { resources: {} } };
  const other = following({ client: async () => bare, topics: { uris: ["test://a"] } });
  await expect(other.done).rejects.toMatchObject({ code: "rpc_error" });
  expect(legacy.methods()).not.toContain("resources/subscribe");
});

test("a notification belongs to the subscription that it names; one that names none, to all", async () => {
  const ids: unknown[] = [];
  let end: Far | undefined;
  const far = byHand((message, to) => {
    end = to;
    ids.push(message.id);
    acknowledge(message, to);
  });
  await using client = await connect(far.options);
  const topics = { lists: ["tools"] } as const;
  const [a, b] = [1, 2].map(() => following({ client: async () => client, topics }));
  await until(() => a?.opened.length === 1 && b?.opened.length === 1);
  end?.send({ method: toolsChanged, params: marked(ids[1]) });
  end?.send({ method: toolsChanged, params: marked(String(ids[1])) });
  end?.send({ method: toolsChanged, params: marked(99) });
  end?.send({ method: "notifications/prompts/list_changed", params: {} });
  end?.send({ method: toolsChanged });
  await until(() => a?.heard.length === 1);
  expect(b?.heard).toHaveLength(2);
  a?.stop();
  b?.stop();
});

test("a server ends a subscription by its result, or by a cancellation of it", async () => {
  const ways: ((id: unknown, far: Far) => void)[] = [
    (id, far) => far.send({ id, result: { resultType: "complete", ...marked(id) } }),
    (id, far) => far.send({ method: "notifications/cancelled", params: { requestId: id } }),
    (id, far) => {
      far.send({ method: "notifications/cancelled", params: { requestId: id } });
      far.send({ id, result: { resultType: "complete", ...marked(id) } });
    },
  ];
  for (const way of ways) {
    const far = byHand((message, end) => {
      acknowledge(message, end);
      end.send({ method: "notifications/cancelled", params: { requestId: 77 } });
      end.send({ method: toolsChanged, params: marked(message.id) });
      way(message.id, end);
    });
    await using client = await connect(far.options);
    const it = following({ client: async () => client, topics: { lists: ["tools"] } });
    expect(await it.done).toBe("ended");
    expect(it.heard).toHaveLength(1);
    expect(far.methods().filter((method) => method === "subscriptions/listen")).toHaveLength(1);
  }
});

test("a refusal is an error, and is not tried again", async () => {
  const far = byHand(({ id }, end) =>
    end.send({ id, error: { code: -32603, message: "Subscription limit reached" } }),
  );
  await using client = await connect(far.options);
  const it = following({ client: async () => client, topics: { lists: ["tools"] } });
  await expect(it.done).rejects.toBeInstanceOf(RpcError);
  expect(far.methods().filter((method) => method === "subscriptions/listen")).toHaveLength(1);
});

test("a server that does not acknowledge is given up", async () => {
  const far = byHand(() => {});
  await using client = await connect(far.options);
  const topics = { lists: ["tools"] } as const;
  const it = following({ client: async () => client, topics, timeoutMs: 20 });
  await expect(it.done).rejects.toMatchObject({ code: "timeout" });
  await until(() => far.methods().includes("notifications/cancelled"));
});

test("a quiet stream is not dropped, however short the times of requests are", async () => {
  const far = byHand((message, end) => {
    acknowledge(message, end);
    setTimeout(() => end.send({ method: toolsChanged, params: marked(message.id) }), 200);
  });
  await using client = await connect(far.options);
  const topics = { lists: ["tools"] } as const;
  const it = following({ client: async () => client, topics, timeoutMs: 10 });
  await until(() => it.heard.length === 1);
  expect(it.opened).toHaveLength(1);
  it.stop();
});

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

test("a part of a resource that is subscribed to is heard of, too (legacy)", async () => {
  await using far = await served("legacy");
  const it = following({ client: async () => far.client, topics: { uris: ["test://a"] } });
  await until(() => it.opened.length === 1);
  far.say({ method: "notifications/resources/updated", params: { uri: "test://a/part" } });
  far.say({ method: "notifications/resources/updated", params: { uri: 5 } });
  await until(() => it.heard.length === 1);
  expect(short(it.heard)).toEqual(["test://a/part"]);
  it.stop();
});

test("the envelope of a subscription is that of every request", async () => {
  await using far = await served("modern");
  const it = following({ client: async () => far.client, topics: { lists: ["tools"] } });
  await until(() => it.opened.length === 1);
  const listen = far.received.find(({ method }) => method === "subscriptions/listen");
  expect(metaOf(listen)?.["io.modelcontextprotocol/protocolVersion"]).toBe("2026-07-28");
  expect(listen?.params["notifications"]).toEqual({ toolsListChanged: true });
  it.stop();
});
