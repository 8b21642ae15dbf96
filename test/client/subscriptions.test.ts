/** Subscriptions in both eras: what is heard, by whom, and for how long. */
import { expect, test } from "bun:test";

import { metaOf, until } from "./kit.ts";
import { eras, served } from "./served.ts";
import { following, short } from "./subscriptions-kit.ts";

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
