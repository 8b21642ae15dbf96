/** `POST /tools` as a stream, clients that leave, several at once, and the end of the process. */
import { expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import type { Fixture } from "./kit.ts";
import { eventsOf, featureFull, fixtureKit, jsonOf } from "./rest-kit.ts";

const legacy = { protocol: "legacy" } as const;

function streamed(tool: string, params: object = {}) {
  return { json: { tool, params, stream: true } };
}

test("progress, the text, then everything else and the end", async () => {
  await using kit = serveOver(featureFull("re", legacy));
  const answer = await kit.ask("/tools", streamed("re_slow", { steps: 3, ms: 1 }));
  expect(answer.headers.get("content-type")).toStartWith("text/event-stream");
  expect(await eventsOf(answer)).toEqual([
    { progress: { progress: 1, total: 3, message: "step 1" } },
    { progress: { progress: 2, total: 3, message: "step 2" } },
    { progress: { progress: 3, total: 3, message: "step 3" } },
    { chunk: "done after 3 steps" },
    {
      done: true,
      content: [{ type: "text", text: "done after 3 steps" }],
      call: expect.any(String),
    },
  ]);
});

test("failures end a stream with their error, at 200 as they do without it", async () => {
  await using kit = serveOver(featureFull("re", { ...legacy, timeoutMs: 500 }));
  const last = async (tool: string, params?: object) =>
    (await eventsOf(await kit.ask("/tools", streamed(tool, params)))).at(-1);
  expect(await last("re_fail", { message: "no luck" })).toMatchObject({
    done: true,
    error: "no luck",
    isError: true,
  });
  expect(await last("re_refuse")).toMatchObject({ done: true, error: "refused as asked" });
  expect(await last("re_hang")).toMatchObject({ done: true, code: "timeout" });
  expect(await last("re_echo")).toMatchObject({ done: true, code: "usage" });
  expect(await last("re_drop")).toMatchObject({ done: true, code: "uncertain" });
});

test("what a server logs while it has one call alone is told in the stream of that", async () => {
  await using kit = serveOver(featureFull("re", legacy));
  const events = await eventsOf(await kit.ask("/tools", streamed("re_log")));
  expect(events).toMatchObject([
    { log: { level: "warning", data: "a line at warning" } },
    { chunk: "logged" },
    { done: true },
  ]);
});

async function kinds(answer: Promise<Response>): Promise<unknown[]> {
  return (await eventsOf(await answer)).map((event) => Object.keys(event)[0]);
}

test("a call logs into nobody's stream where nobody knows whose line it is", async () => {
  await using kit = serveOver(featureFull("re", legacy));
  // Whoever calls: these are not served at all.
  const left = new AbortController();
  const { promise: begun, resolve: onCall } = Promise.withResolvers<unknown>();
  const listener = { onCall };
  const slow = kit.host.call({ tool: "re_slow", arguments: { steps: 1, ms: 300 }, listener });
  await begun;
  const log = () => kinds(kit.ask("/tools", streamed("re_log")));
  expect(await log()).toEqual(["chunk", "done"]);
  await slow;
  expect(await log()).toEqual(["log", "chunk", "done"]);
  const { signal } = left;
  const hanging = kit.host.call({ tool: "re_hang", arguments: {}, signal });
  await waitFor(() => kit.logged.some(({ text }) => text === "tools/call of hang is sent"));
  left.abort();
  await hanging;
  // Its server may still be at work on that.
  expect(await log()).toEqual(["chunk", "done"]);
});

/** A server whose call writes `lines`, one message each, and then its answer. */
function logging(lines: string, more: Fixture = {}): Record<string, Fixture> {
  const program = `
    import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
    const log = (params) => JSON.stringify({ jsonrpc: "2.0", method: "notifications/message", params }) + "\\n";
    const logs = (_args, _message, server) => (server.raw(${lines}), text("done"));
    await serve({ tools: [tool("logs")], calls: { logs } });`;
  return { s: { prefix: "s_", args: ["-e", program], ...more } };
}

function redact(text: string): string {
  return text.replaceAll("s3cr3t", "***");
}

test("a log is told as it came, whatever it is, without secrets", async () => {
  const lines = `[{}, { level: 7, logger: 7, data: { a: ["s3cr3t"] } }, { level: "odd", logger: "l", data: null }].map(log).join("")
    + log({ level: "info", data: 0 }).replace(":0}", ":" + "[".repeat(50_000) + "]".repeat(50_000) + "}")`;
  await using kit = serveOver(logging(lines), { redact });
  const events = await eventsOf(await kit.ask("/tools", streamed("s_logs")));
  expect(events.slice(0, -2)).toEqual([
    { log: { level: "info", data: null } },
    { log: { level: "info", data: { a: ["***"] } } },
    { log: { level: "odd", logger: "l", data: null } },
    { log: { level: "info", data: expect.stringContaining("nested too deeply") } },
  ]);
  expect(events.at(-2)).toEqual({ chunk: "done" });
});

test("more logs than are read are counted, and take no memory", async () => {
  const lines = `log({ level: "info", data: "x".repeat(1000) }).repeat(20_000)`;
  await using kit = serveOver(logging(lines));
  const answer = await kit.ask("/tools", streamed("s_logs"));
  await waitFor(async () => (await jsonOf(await kit.ask("/calls")))[0]?.status === "completed");
  const events = await eventsOf(answer);
  const logs = events.filter((event) => "log" in event).map(({ log }) => log);
  const last = logs.pop();
  expect(logs.length).toBeLessThan(20_000);
  expect(last).toMatchObject({ level: "notice", logger: "mcphost" });
  expect(Number.parseInt(last.data, 10) + logs.length).toBe(20_000);
  expect(events.slice(-2)).toMatchObject([{ chunk: "done" }, { done: true }]);
}, 20_000);

test.each([
  ["POST /tools", "/tools", { tool: "re_hang" }],
  ["POST /tools as a stream", "/tools", { tool: "re_hang", stream: true }],
  ["POST /tools/NAME", "/tools/re_hang", {}],
])("who leaves cancels the call: %s", async (_what, path, json) => {
  await using kit = serveOver(featureFull());
  const cancelled = async () => {
    const answer = await kit.ask("/tools", { json: { tool: "re_cancelled" } });
    return (await jsonOf(answer)).plain_text_response;
  };
  expect(await cancelled()).toBe("0");
  const leaving = new AbortController();
  const answer = kit.ask(path, { json, signal: leaving.signal }).catch(() => {});
  const running = async () =>
    (await jsonOf(await kit.ask("/calls"))).some((call: any) => call.status === "running");
  await waitFor(running);
  leaving.abort();
  await waitFor(async () => (await cancelled()) === "1", "the cancellation");
  await answer;
  const calls = await jsonOf(await kit.ask("/calls"));
  expect(calls.find((call: any) => call.tool === "hang")).toMatchObject({ status: "cancelled" });
});

test("many callers at once, each with their own answer (B023)", async () => {
  await using kit = serveOver({ ...featureFull("one", legacy), ...featureFull("two", legacy) });
  const ask = async (i: number) => {
    const tool = i % 2 === 0 ? "one_echo" : "two_echo";
    const answer = await kit.ask("/tools", { json: { tool, params: { text: `mine ${i}` } } });
    return (await jsonOf(answer)).plain_text_response;
  };
  const stream = async (i: number) => {
    const events = await eventsOf(
      await kit.ask("/tools", streamed("one_slow", { steps: 2 + (i % 5), ms: 1 })),
    );
    return events.filter((event) => "progress" in event).map(({ progress }) => progress.total);
  };
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const [texts, totals] = await Promise.all([
    Promise.all(numbers.map(ask)),
    Promise.all(numbers.map(stream)),
  ]);
  expect(texts).toEqual(numbers.map((i) => `mine ${i}`));
  expect(totals).toEqual(
    numbers.map((i) => Array.from({ length: 2 + (i % 5) }, () => 2 + (i % 5))),
  );
});

test("a process that stops tells the streams how their calls ended", async () => {
  await using kit = serveOver(featureFull());
  const answer = await kit.ask("/tools", streamed("re_hang"));
  const events = eventsOf(answer);
  void kit.served.stop();
  expect((await events).at(-1)).toMatchObject({ done: true, code: "cancelled" });
});

test("too many streams: one more is refused, and its call given up", async () => {
  await using kit = serveOver(featureFull(), { streamsMax: 1 });
  const first = await kit.ask("/tools", streamed("re_hang"));
  const second = await kit.ask("/tools", streamed("re_hang"));
  expect(second.status).toBe(503);
  expect(await second.json()).toMatchObject({ code: 503, type: "unavailable_error" });
  await first.body?.cancel();
  const statuses = async () =>
    (await jsonOf(await kit.ask("/calls"))).map((call: any) => call.status);
  await waitFor(async () => (await statuses()).join() === "cancelled,cancelled");
});
