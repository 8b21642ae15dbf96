/** Subscriptions: what a server honours, refuses, ends or never acknowledges, and whose a notification is. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { modernScript, scripted, until } from "./kit.ts";
import type { Far, Incoming } from "./kit.ts";
import { served } from "./served.ts";
import { following, marked } from "./subscriptions-kit.ts";

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
