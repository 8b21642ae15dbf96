/** More calls than a server takes at a time: how many wait, how long, and what those are told that may not. */
import { expect, test } from "bun:test";

import { tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { answerTo, session, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { Fixture, ServedHost } from "./kit.ts";
import { eventsOf, seen } from "./rest-kit.ts";

const busy = /^server "a" is busy: /;

function fixture(options: Fixture): Record<string, Fixture> {
  return { a: { concurrency: 1, tools: tools("echo", "silent", "wait"), ...options } };
}

/** One call that takes its server's only turn until the test ends it. */
async function occupied(it: ServedHost): Promise<() => void> {
  await it.served.context.discovery.done;
  const call = new AbortController();
  const running = new Promise<void>((resolve) => {
    const listener = { onCall: () => resolve() };
    void it.host.call({ tool: "a_silent", arguments: {}, signal: call.signal, listener });
  });
  await running;
  await waitFor(async () => (await metric(it, "mcphost_calls_in_flight")) === 1);
  await waitFor(() => it.host.servers()[0]?.state === "ready");
  return () => call.abort();
}

async function metric(it: ServedHost, name: string): Promise<number> {
  const text = await (await it.ask("/metrics")).text();
  return Number(new RegExp(`^${name}{server="a"} (\\d+)$`, "m").exec(text)?.[1]);
}

test("a full queue turns calls away at once, each face in its own words", async () => {
  await using it = serveOver(fixture({ queueMax: 0 }));
  const free = await occupied(it);
  const json = { tool: "a_echo", params: {} };
  const llama = await it.ask("/tools", { json });
  expect([llama.status, llama.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await llama.json()).toMatchObject({
    code: 503,
    type: "unavailable_error",
    message: expect.stringMatching(busy),
    error: { code: "server_start", server: "a", busy: true, retryMs: 2000, sent: false },
  });
  const rest = await it.ask("/tools/a_echo", { json: {} });
  expect([rest.status, rest.headers.get("retry-after")]).toEqual([503, "2"]);
  expect(await rest.json()).toMatchObject({
    error: { code: "server_start", message: expect.stringMatching(busy), busy: true },
  });
  const streamed = await eventsOf(await it.ask("/tools", { json: { ...json, stream: true } }));
  expect(streamed).toMatchObject([
    { done: true, error: expect.stringMatching(busy), busy: true, retryMs: 2000 },
  ]);
  const client = await session(it);
  const answer = await client.call("a_echo");
  expect(answer.status).toBe(200);
  expect(answerTo(await told(answer))?.error).toMatchObject({
    code: -32603,
    message: expect.stringMatching(busy),
    data: { busy: true, retryMs: 2000 },
  });
  free();
  await waitFor(async () => (await seen(it.ask("/tools", { json }))).status === 200);
});

test("up to queueMax wait for their turn in order, and are counted", async () => {
  await using it = serveOver(fixture({ queueMax: 2 }));
  const free = await occupied(it);
  expect(await metric(it, "mcphost_queue_calls")).toBe(0);
  const ends: string[] = [];
  const call = async (name: string) => {
    const outcome = await it.host.call({ tool: "a_wait", arguments: { ms: 1, name } });
    ends.push(`${name} ${outcome.status}`);
  };
  const waiting = [call("first"), call("second")];
  await waitFor(async () => (await metric(it, "mcphost_queue_calls")) === 2);
  await call("third");
  expect(ends).toEqual(["third failed"]);
  free();
  await Promise.all(waiting);
  expect(ends).toEqual(["third failed", "first completed", "second completed"]);
  expect(await metric(it, "mcphost_queue_calls")).toBe(0);
});

test("who waits longer than queueMs is turned away, unsent; who leaves makes room", async () => {
  await using it = serveOver(fixture({ queueMax: 1, queueMs: 100 }));
  const free = await occupied(it);
  const began = performance.now();
  const late = await it.host.call({ tool: "a_echo", arguments: {} });
  expect(performance.now() - began).toBeGreaterThanOrEqual(95);
  expect(late).toMatchObject({ status: "failed", sent: false });
  expect(late.error).toMatchObject({
    code: "server_start",
    message: expect.stringMatching(/no turn within 100 ms/),
    facts: { busy: true, retryMs: 2000 },
  });
  const leaving = new AbortController();
  const left = it.host.call({ tool: "a_echo", arguments: {}, signal: leaving.signal });
  await waitFor(() => it.host.servers()[0]?.queued === 1);
  leaving.abort();
  expect((await left).status).toBe("cancelled");
  expect(it.host.servers()[0]?.queued).toBeUndefined();
  const next = it.host.call({ tool: "a_echo", arguments: {} });
  free();
  expect((await next).status).toBe("completed");
});

test("without a word in the config 256 wait; one more does not", async () => {
  await using it = serveOver(fixture({}));
  const free = await occupied(it);
  const all = Array.from({ length: 257 }, () => it.host.call({ tool: "a_echo", arguments: {} }));
  expect((await Promise.race(all)).error?.facts).toMatchObject({ busy: true });
  expect(await metric(it, "mcphost_queue_calls")).toBe(256);
  free();
  const outcomes = await Promise.all(all);
  expect(outcomes.filter(({ status }) => status === "completed")).toHaveLength(256);
});

test("whoever waits later is treated as the first one was", async () => {
  await using it = serveOver(fixture({ queueMax: 3, queueMs: 100 }));
  const free = await occupied(it);
  const echo = { tool: "a_echo", arguments: {} };
  const late = { status: "failed", sent: false, error: { facts: { busy: true } } };
  for (const count of [1, 3]) {
    const outcomes = await Promise.all(Array.from({ length: count }, () => it.host.call(echo)));
    for (const outcome of outcomes) expect(outcome).toMatchObject(late);
  }
  const leaving = new AbortController();
  const left = [1, 2].map(() => it.host.call({ ...echo, signal: leaving.signal }));
  const stays = it.host.call(echo);
  expect(await it.host.call(echo)).toMatchObject(late);
  expect(it.host.servers()[0]?.queued).toBe(3);
  leaving.abort();
  for (const outcome of await Promise.all(left)) expect(outcome.status).toBe("cancelled");
  free();
  expect((await stays).status).toBe("completed");
});

test("calls whose server ends while they wait start it again", async () => {
  await using it = serveOver(fixture({ tools: tools("echo", "silent", "exit") }));
  const free = await occupied(it);
  const echo = { tool: "a_echo", arguments: {} };
  const first = it.host.call({ tool: "a_exit", arguments: {} });
  const waiting = [1, 2, 3].map(() => it.host.call(echo));
  await waitFor(() => it.host.servers()[0]?.queued === 4);
  const more = [1, 2, 3].map(() => it.host.call(echo));
  free();
  expect((await first).status).toBe("uncertain");
  const statuses = (await Promise.all([...waiting, ...more])).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: 6 }, () => "completed"));
});
