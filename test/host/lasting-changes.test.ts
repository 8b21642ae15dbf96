/** Changes that a host hears of: resources and lists, by how many streams, and one that broke. */
import { expect, test } from "bun:test";

import { createHost } from "../../lib/host/create.ts";
import type { ServerUpdate } from "../../lib/host/lasting-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { eras } from "../client/served.ts";
import { waitFor } from "../processes.ts";
import { remote } from "./lasting-kit.ts";

test.each(eras)("changes are heard through the host until the signal (%s)", async (era) => {
  await using far = await remote({ transport: "http", era });
  const heard: ServerUpdate[] = [];
  const controller = new AbortController();
  let opened = 0;
  const following = far.host.subscribe({
    uris: ["test://a"],
    lists: ["tools"],
    signal: controller.signal,
    onOpen: () => opened++,
    onUpdate: (update) => heard.push(update),
  });
  await waitFor(() => opened > 0, "a subscription");
  await waitFor(() => {
    // Over HTTP the stream for what comes unsolicited may be opened a moment later.
    if (heard.length === 0) far.server.state.touch("test://a");
    return heard.length > 0;
  }, "an update");
  expect(heard[0]).toMatchObject({ server: "far", kind: "resource", uri: "test://a" });
  far.server.state.change("tools");
  await waitFor(() => heard.some((one) => one.kind === "list"), "the list");
  controller.abort();
  expect(await following).toBe("closed");
});

test("the server of a subscription must be clear, and must be there", async () => {
  await using host = await createHost({
    servers: { a: { url: "http://127.0.0.1:1/mcp" }, b: { url: "http://127.0.0.1:1/mcp" } },
  });
  const topics = { lists: ["tools"] as const, onUpdate: () => {} };
  await expect(host.subscribe(topics)).rejects.toMatchObject({ code: "usage" });
  await expect(host.subscribe({ ...topics, server: "c" })).rejects.toMatchObject({ code: "usage" });
  await expect(host.subscribe({ ...topics, server: "a" })).rejects.toMatchObject({
    code: "server_start",
  });
});

/** Collects the events of a host while it lives. */
function eventsOf(host: { events(): AsyncIterable<HostEvent> }): HostEvent[] {
  const events: HostEvent[] = [];
  void (async () => {
    for await (const event of host.events()) events.push(event);
  })();
  return events;
}

test("who listens to a host hears of lists that change on a modern server, by one stream", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const events = eventsOf(far.host);
  await far.host.tools();
  await waitFor(() => far.times("subscriptions/listen") === 1, "the stream");
  // It is heard of from the acknowledgement on.
  await waitFor(() => {
    far.server.state.change("tools");
    return events.some(({ type }) => type === "tools_changed");
  }, "the change");
  const { tools } = await far.host.tools();
  const grown = tools.length;
  far.server.state.change("tools");
  await waitFor(() => events.filter(({ type }) => type === "tools_changed").length >= 2, "more");
  expect((await far.host.tools()).tools.length).not.toBe(grown);
  expect(far.times("subscriptions/listen")).toBe(1);
});

test("a burst of changes is fetched once, and its last one is in the list (B062)", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const events = eventsOf(far.host);
  const names = async () => (await far.host.tools()).tools.map(({ tool }) => tool);
  const before = await names();
  await waitFor(() => far.times("subscriptions/listen") === 1, "the stream");
  await waitFor(() => {
    far.server.state.change("tools");
    return events.some(({ type }) => type === "tools_changed");
  }, "the first one");
  await names();
  const fetched = far.times("tools/list");
  for (let i = 0; i < 200; i++) far.server.state.change("tools");
  if (!far.server.state.grown.has("tools")) far.server.state.change("tools");
  await waitFor(async () => (await names()).length > before.length, "the last one");
  expect(far.times("tools/list") - fetched).toBeLessThanOrEqual(3);
});

test("a stream that broke is opened again, and the lists count as changed", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const events = eventsOf(far.host);
  await far.host.tools();
  await waitFor(() => far.times("subscriptions/listen") === 1, "the stream");
  far.server.cutStreams();
  await waitFor(() => far.times("subscriptions/listen") === 2, "the next one");
  await waitFor(() => events.some(({ type }) => type === "tools_changed"), "the news");
});

test("a host that nobody listens to opens no stream, and neither do legacy servers", async () => {
  await using quiet = await remote({ transport: "http", era: "modern" });
  await quiet.host.tools();
  await quiet.host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(quiet.times("subscriptions/listen")).toBe(0);
  await using legacy = await remote({ transport: "http", era: "legacy" });
  eventsOf(legacy.host);
  await legacy.host.call({ tool: "echo", arguments: { text: "hi" } });
  expect(legacy.times("subscriptions/listen")).toBe(0);
});
