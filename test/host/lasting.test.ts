import { expect, test } from "bun:test";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import { createHost } from "../../lib/host/create.ts";
import type { ServerUpdate } from "../../lib/host/lasting-types.ts";
import type { HostOptions } from "../../lib/host/option-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServerOptions } from "../fixtures/remote/server.ts";
import { root } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { textOf } from "./kit.ts";

const eras = ["legacy", "modern"] as const;

async function remote(options: RemoteServerOptions, more: Partial<HostOptions> = {}) {
  const server = await serveRemote(options);
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const host = await createHost({ servers: { far: { url: server.url } }, log, ...more });
  const times = (method: string) => server.methods().filter((one) => one === method).length;
  return {
    host,
    server,
    logged,
    times,
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

test.each(eras)("a tool that must run as a task is called as any other (%s)", async (era) => {
  await using far = await remote({ transport: "http", era });
  const outcome = await far.host.call({ tool: "must_work", arguments: { steps: 2, ms: 5 } });
  expect(textOf(outcome)).toBe("done after 2 steps");
  expect(far.times("tasks/get")).toBeGreaterThan(0);
});

test.each(eras)(
  "a call that nobody waits for can be asked about by another host (%s)",
  async (era) => {
    await using far = await remote({ transport: "http", era });
    const outcome = await far.host.call({
      tool: "work",
      arguments: { steps: 2, ms: 20 },
      detach: true,
      validate: false,
    });
    if (outcome.status !== "detached") throw new Error(textOf(outcome));
    expect(outcome.server).toBe("far");
    const { taskId } = outcome.task;
    await far.host[Symbol.asyncDispose]();

    await using other = await createHost({ servers: { far: { url: far.server.url } } });
    const task = await other.task("far", taskId);
    expect((await task.state()).taskId).toBe(taskId);
    expect(textOf(await task.outcome())).toBe("done after 2 steps");
    expect((await task.state()).status).toBe("completed");
  },
);

test("a task that nobody knows, on a server that nobody knows", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  await expect(far.host.task("near", "t")).rejects.toMatchObject({ code: "usage" });
  const task = await far.host.task("far", "t");
  const unknown = { code: "rpc_error", facts: { rpcCode: -32602 } };
  await expect(task.state()).rejects.toMatchObject(unknown);
  await expect(task.cancel()).rejects.toMatchObject(unknown);
  expect(await task.outcome()).toMatchObject({ status: "failed", sent: true, error: unknown });
});

test("giving up the wait for a task leaves it alone; cancelling it does not", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const call = { tool: "must_work", arguments: { steps: 100, ms: 1000 }, detach: true };
  const outcome = await far.host.call(call);
  if (outcome.status !== "detached") throw new Error(textOf(outcome));
  const { taskId } = outcome.task;
  const task = await far.host.task("far", taskId);
  const controller = new AbortController();
  const waiting = task.outcome({ signal: controller.signal });
  await waitFor(() => far.times("tasks/get") > 2, "some questions");
  controller.abort();
  expect(await waiting).toMatchObject({ status: "cancelled", sent: true });
  expect(far.server.state.tasks.get(taskId)?.status).toBe("working");
  await task.cancel();
  expect(await task.outcome()).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
});

test("a call whose task was going on when the server went away is uncertain, and is not repeated", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const calling = far.host.call({ tool: "must_work", arguments: { steps: 100, ms: 1000 } });
  await waitFor(() => far.times("tasks/get") > 1, "a task");
  await far.server.stop();
  expect(await calling).toMatchObject({
    status: "uncertain",
    error: { facts: { taskId: expect.any(String) } },
  });
  expect(far.times("tools/call")).toBe(1);
}, 20_000);

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

test("tasks of the official SDK, 1.x", async () => {
  const program = join(root, "test/fixtures/real/sdk1-tasks.ts");
  const asked: unknown[] = [];
  const elicit = async ({ message }: { message?: unknown }) => {
    asked.push(message);
    return { action: "decline" };
  };
  await using host = await createHost({
    servers: { sdk: { command: process.execPath, args: [program] } },
    answers: { elicit },
    env: process.env,
  });
  const call = (way: string, detach = false) =>
    host.call({ tool: "work", arguments: { way }, detach });
  expect(textOf(await call("done"))).toBe("done");
  expect(await call("fail")).toMatchObject({ status: "failed", result: { isError: true } });
  expect(textOf(await call("ask"))).toBe("done: decline");
  expect(asked).toEqual(["Sure?"]);
  const left = await call("hang", true);
  if (left.status !== "detached") throw new Error(textOf(left));
  const task = await host.task("sdk", left.task.taskId);
  expect((await task.state()).status).toBe("working");
  await task.cancel();
  expect((await task.state()).status).toBe("cancelled");
});
