/** Watching it: `/health`, `/servers`, `/metrics`, `/events`; and servers as they are found, rest and are used again. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { logFailures } from "../../lib/cli/serve-show.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { Counters, otherTools } from "../../lib/serve/counters.ts";
import { EventQueue } from "../../lib/serve/events.ts";
import type { StreamEvent } from "../../lib/serve/stream.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { tools } from "../host/kit.ts";
import { waitFor } from "../processes.ts";
import { type Fixture, type ServedHost, serveOver } from "./kit.ts";

/** A server with the tools of the fixture that are called here. */
function fixture(options: Fixture = {}): Fixture {
  return { tools: tools("echo", "exit", "lists", "pid", "refuse", "wait"), ...options };
}

const gone = { command: "/nowhere/at/all", args: [] };

async function json(it: ServedHost, path: string): Promise<any> {
  return await (await it.ask(path)).json();
}

/** The state of each server by `/health`. */
async function states(it: ServedHost): Promise<Record<string, string>> {
  const { servers } = await json(it, "/health");
  return Object.fromEntries(servers.map(({ name, state }: any) => [name, state]));
}

describe("/health", () => {
  test("is 200 at once, with the true state of each server; ?ready waits for the eager ones", async () => {
    await using it = serveOver({
      late: { lifecycle: "eager", startMs: 300 },
      lazy: { startMs: 5000 },
      gone: { ...gone, lifecycle: "eager" },
    });
    const first = await it.ask("/health");
    expect([first.status, await first.json()]).toMatchObject([200, { status: "ok", ready: false }]);
    const early = await it.ask("/health?ready");
    expect([early.status, early.headers.get("retry-after")]).toEqual([503, "1"]);
    await waitFor(async () => (await it.ask("/health?ready")).status === 200);
    const { servers } = await json(it, "/health");
    expect(servers).toMatchObject([
      { name: "late", state: "ready", era: "legacy", tools: 1 },
      { name: "lazy", state: "starting" },
      { name: "gone", state: "failed", error: { code: "server_start" } },
    ]);
    // Where it was looked for is nobody's business.
    expect(JSON.stringify(servers)).not.toContain("/nowhere");
  });

  test("once ready it stays so, whatever ends later", async () => {
    await using it = serveOver({ a: fixture({ lifecycle: "eager" }) });
    await it.served.context.discovery.done;
    await it.host.call({ tool: "a_exit", arguments: {} });
    await waitFor(async () => (await states(it))["a"] === "failed");
    expect((await it.ask("/health?ready")).status).toBe(200);
  });

  test("says that all servers have failed, and is answered all the same", async () => {
    await using it = serveOver({ one: gone, other: gone });
    await it.served.context.discovery.done;
    const answer = await it.ask("/health?ready");
    expect([answer.status, await answer.json()]).toMatchObject([200, { status: "failed" }]);
    await using half = serveOver({ one: gone, other: fixture() });
    await half.served.context.discovery.done;
    expect(await json(half, "/health")).toMatchObject({ status: "ok" });
  });

  test("a stranger hears of no server", async () => {
    await using it = serveOver({ a: {} }, { tokens: [{ name: "me", token: "secret-1" }] });
    expect(await json(it, "/health")).toEqual({ status: "ok", ready: true });
    const whole = await it.ask("/health", { token: "secret-1" });
    expect(await whole.json()).toMatchObject({ servers: [{ name: "a" }] });
    expect((await it.ask("/metrics")).status).toBe(401);
    expect((await it.ask("/events")).status).toBe(401);
    expect((await it.ask("/servers")).status).toBe(401);
  });
});

test("why a server has failed is logged once, and anew once it was ready", () => {
  let tell: ((event: HostEvent) => void) | undefined;
  const onEvent = (watcher: NonNullable<typeof tell>) => {
    tell = watcher;
    return { [Symbol.dispose]() {} };
  };
  const logged: string[] = [];
  using _logging = logFailures(
    { onEvent: onEvent as OpenedHost["onEvent"] },
    ({ text }) => void logged.push(text),
  );
  const enter = (state: "failed" | "starting" | "ready", why?: string) =>
    tell?.({
      type: "server_state",
      server: "a",
      state,
      ...(why !== undefined && { error: new HostError("server_start", why) }),
    });
  for (const why of ["gone", "gone", "broken"]) {
    enter("starting");
    enter("failed", why);
  }
  enter("ready");
  enter("failed", "broken");
  expect(logged).toEqual(["gone", "broken", "broken"]);
});

describe("servers", () => {
  test("that failed are tried again by who lists tools", async () => {
    await using remote = await serveRemote({ transport: "http" });
    await remote.stop();
    const far = { kind: "http", url: remote.url, transport: "http", headers: {} } as const;
    await using it = serveOver({ far: far as object, near: fixture() });
    await it.served.context.discovery.done;
    expect(await states(it)).toMatchObject({ far: "failed" });
    remote.start();
    await waitFor(async () => JSON.stringify(await json(it, "/tools")).includes('"server":"far"'));
    expect(await states(it)).toMatchObject({ far: "ready" });
  });

  test("are all looked at beside each other; the slow and the dead delay nobody", async () => {
    await using it = serveOver({
      slow: { startMs: 5000 },
      gone,
      quick: {},
      eager: { lifecycle: "eager" },
    });
    await waitFor(async () => {
      const { quick, eager, gone: dead } = await states(it);
      const known = await it.host.knownTools();
      const names = known.tools.map(({ name }) => name).toSorted();
      const all = Bun.deepEquals(names, ["eager_echo", "quick_echo"]);
      return all && quick === "idle" && eager === "ready" && dead === "failed";
    });
    expect((await states(it))["slow"]).toBe("starting");
  });

  test("a lazy one rests after the first look, starts for its first call and is kept", async () => {
    await using it = serveOver({ a: fixture() });
    await it.served.context.discovery.done;
    expect(await states(it)).toEqual({ a: "idle" });
    const call = async (tool: string) => await it.host.call({ tool, arguments: {} });
    const pids = [await call("a_pid"), await call("a_pid")].map((outcome) => textOf(outcome));
    expect(pids[0]).toBe(pids[1]!);
    expect(await states(it)).toEqual({ a: "ready" });
  });

  test("one that is used while it is first looked at is not stopped under it", async () => {
    await using it = serveOver({ a: fixture({ startMs: 100 }) });
    const outcome = await it.host.call({ tool: "a_wait", arguments: { ms: 300 } });
    expect(outcome.status).toBe("completed");
  });

  test("idleMs stops it after that time without calls, and not under one", async () => {
    await using it = serveOver({ a: fixture({ idleMs: 150 }) });
    await it.served.context.discovery.done;
    const long = it.host.call({ tool: "a_wait", arguments: { ms: 500 } });
    expect(textOf(await long)).toBe("waited");
    expect(await states(it)).toEqual({ a: "ready" });
    await waitFor(async () => (await states(it))["a"] === "idle");
    expect((await it.host.call({ tool: "a_echo", arguments: {} })).status).toBe("completed");
  });

  test("B095 no secret is in what is told of them, errors and events included", async () => {
    const rude = { command: "/nowhere/s3cr3t", args: [], lifecycle: "eager" as const };
    await using it = serveOver({ rude, a: fixture() }, { redact: hideSecret });
    const heard = await listen(it);
    await it.host.call({ tool: "rude_x", arguments: {} });
    await waitFor(() => heard.text().includes("server_start"));
    const texts = await Promise.all(
      ["/health", "/servers", "/servers/rude"].map(async (path) => (await it.ask(path)).text()),
    );
    for (const text of [...texts, heard.text()]) {
      expect(text).toContain("cannot be started");
      expect(text).not.toContain("s3cr3t");
    }
  });

  test("stand at /servers, each by its name", async () => {
    await using it = serveOver({ a: { lifecycle: "eager" }, b: gone });
    await it.served.context.discovery.done;
    expect(await json(it, "/servers")).toMatchObject([
      { name: "a", state: "ready", serverInfo: {} },
      { name: "b", state: "failed" },
    ]);
    expect(await json(it, "/servers/a")).toMatchObject({ name: "a", tools: 1 });
    const unknown = await it.ask("/servers/__proto__");
    expect([unknown.status, await unknown.json()]).toMatchObject([
      404,
      { error: { code: "not_found" } },
    ]);
  });
});

describe("/metrics", () => {
  test("counts calls, errors, times, starts and ends", async () => {
    await using it = serveOver({ a: fixture(), b: fixture() });
    await it.served.context.discovery.done;
    for (const tool of ["a_echo", "a_echo", "a_refuse", "b_exit"])
      await it.host.call({ tool, arguments: {}, validate: false });
    await waitFor(async () => (await states(it))["b"] === "failed");
    const answer = await it.ask("/metrics");
    expect(answer.headers.get("content-type")).toStartWith("text/plain; version=0.0.4");
    const text = await answer.text();
    expect(text.split("\n")).toEqual(
      expect.arrayContaining([
        'mcphost_calls_total{server="a",tool="echo",status="completed"} 2',
        'mcphost_calls_total{server="a",tool="refuse",status="failed"} 1',
        'mcphost_call_errors_total{server="a",tool="echo"} 0',
        'mcphost_call_errors_total{server="a",tool="refuse"} 1',
        'mcphost_call_seconds_bucket{server="a",tool="echo",le="+Inf"} 2',
        'mcphost_call_seconds_count{server="a",tool="echo"} 2',
        'mcphost_calls_in_flight{server="a"} 0',
        'mcphost_server_up{server="a"} 1',
        'mcphost_server_up{server="b"} 0',
        // The first look, and the calls.
        'mcphost_server_starts_total{server="a"} 2',
        'mcphost_server_exits_total{server="a"} 1',
        'mcphost_server_exits_total{server="b"} 2',
      ]),
    );
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    // Each line is a comment, or a name with labels and a number.
    for (const line of text.trimEnd().split("\n"))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? -?[\d.e+-]+)$/);
  });

  test("a call that runs is in flight", async () => {
    await using it = serveOver({ a: fixture() });
    const running = it.host.call({ tool: "a_wait", arguments: { ms: 300 } });
    const line = 'mcphost_calls_in_flight{server="a"} ';
    await waitFor(async () => (await (await it.ask("/metrics")).text()).includes(`${line}1\n`));
    await running;
    expect(await (await it.ask("/metrics")).text()).toContain(`${line}0\n`);
  });

  test("whatever a tool is called, a line stays a line", async () => {
    const name = 'a"b\\c\nd';
    await using it = serveOver({ a: { tools: [{ name, inputSchema: { type: "object" } }] } });
    const listing = await it.host.tools();
    await it.host.call({ tool: listing.tools[0]!.name, arguments: {} });
    expect(await (await it.ask("/metrics")).text()).toContain(
      'mcphost_calls_total{server="a",tool="a\\"b\\\\c\\nd",status="completed"} 1\n',
    );
  });

  test("a token sees the numbers of its tools alone", async () => {
    const tokens = [{ name: "ci", token: "secret-1", tools: ["a.echo"] }];
    await using it = serveOver({ a: fixture() }, { tokens });
    await it.host.call({ tool: "a_echo", arguments: {} });
    await it.host.call({ tool: "a_lists", arguments: {}, validate: false });
    const text = await (await it.ask("/metrics", { token: "secret-1" })).text();
    expect(text).toContain('tool="echo"');
    expect(text).not.toContain('tool="lists"');
  });
});

describe("counters", () => {
  test("names are bounded: what finds no place is counted together, nothing is lost", () => {
    const counters = new Counters(["a"], 3);
    for (let at = 0; at < 50_000; at++) counters.count(callEnd(`tool-${at % 500}`));
    const calls = [...counters.calls];
    expect(calls.map(({ tool }) => tool)).toEqual(["tool-0", "tool-1", "tool-2", otherTools]);
    const sum = calls.reduce((all, { ends }) => all + (ends.get("completed") ?? 0), 0);
    expect(sum).toBe(50_000);
  });

  test("a name that is longer than any, and a server that is none, make no label", () => {
    const counters = new Counters(["a"]);
    counters.count(callEnd("x".repeat(201)));
    counters.count({ ...callEnd("x"), server: "b" });
    expect([...counters.calls].map(({ server, tool }) => [server, tool])).toEqual([
      ["a", otherTools],
    ]);
    expect([...counters.servers].map(([name]) => name)).toEqual(["a"]);
  });

  test("each time is in one bucket, bounds included", () => {
    const counters = new Counters(["a"]);
    for (const durationMs of [0, 1, 1.5, 300_000, 300_001])
      counters.count({ ...callEnd("t"), durationMs } as HostEvent);
    const [count] = counters.calls;
    expect(count!.buckets).toEqual([2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]);
    expect(count!.seconds).toBeCloseTo(600.0035);
  });
});

describe("/events", () => {
  test("tells of servers and of one's own calls, of nobody else's", async () => {
    const tokens = [
      { name: "one", token: "secret-1" },
      { name: "two", token: "secret-2" },
    ];
    await using it = serveOver({ a: {}, gone }, { tokens });
    const one = await listen(it, "secret-1");
    await waitFor(() => it.served.context.streams.size === 1);
    await it.host.call({ tool: "a_echo", arguments: {}, owner: "two" });
    await it.host.call({ tool: "a_echo", arguments: {}, owner: "one" });
    await waitFor(() => one.events.some(({ event }) => event === "call_end"));
    const calls = one.events.filter(({ event }) => event.startsWith("call"));
    expect(calls).toMatchObject([
      { event: "call_start", data: { server: "a", tool: "echo", owner: "one" } },
      { event: "call_end", data: { status: "completed", owner: "one", at: expect.any(Number) } },
    ]);
    await it.host.call({ tool: "gone_x", arguments: {}, owner: "two" });
    expect(one.text()).not.toContain("/nowhere");
    await one.end();
    await waitFor(() => it.served.context.streams.size === 0);
  });

  test("answers at once, also where nothing happens", async () => {
    await using it = serveOver();
    const began = performance.now();
    const answer = await it.ask("/events");
    expect(performance.now() - began).toBeLessThan(5000);
    await answer.body!.cancel();
  });

  test("ends when the process stops, and counts its listeners", async () => {
    await using it = serveOver({ a: {} }, { streamsMax: 1 });
    const one = await listen(it);
    expect((await it.ask("/events")).status).toBe(503);
    await it.served.stop();
    await one.ended;
    expect(it.served.context.streams.size).toBe(0);
  });

  test("a slow listener loses the oldest, and is told how many", async () => {
    const sent: StreamEvent[] = [];
    const drained = Promise.withResolvers<void>();
    let waiting = 100;
    const stream = {
      send: (event: StreamEvent) => void sent.push(event),
      get waiting() {
        return waiting;
      },
      drained: () => drained.promise,
      closed: false,
    };
    const queue = new EventQueue(stream, { listenersMax: 1, queueMax: 3, sendMax: 10 });
    for (let at = 0; at < 10; at++) queue.push({ event: "e", data: String(at) });
    expect(sent).toEqual([]);
    waiting = 0;
    drained.resolve();
    await waitFor(() => sent.length === 4);
    expect(sent).toEqual([
      { event: "lost", data: '{"events":7}' },
      { event: "e", data: "7" },
      { event: "e", data: "8" },
      { event: "e", data: "9" },
    ]);
  });

  test("one that reads nothing holds up no call and keeps nothing for ever", async () => {
    await using it = serveOver({ a: { queueMax: 500 } });
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: it.served.port!,
      socket: { data: (paused) => void paused.pause() },
    });
    socket.write(`GET /events HTTP/1.1\r\nHost: localhost:${it.served.port}\r\n\r\n`);
    await waitFor(() => it.served.context.streams.size === 1);
    const calls = Array.from({ length: 500 }, () =>
      it.host.call({ tool: "a_echo", arguments: {} }),
    );
    const outcomes = await Promise.all(calls);
    expect(outcomes.every(({ status }) => status === "completed")).toBe(true);
    socket.terminate();
    await waitFor(() => it.served.context.streams.size === 0);
  });
});

function hideSecret(text: string): string {
  return text.replaceAll("s3cr3t", "***");
}

/** A call that has ended well. */
function callEnd(tool: string): HostEvent {
  const facts = { id: "1", owner: "default", server: "a", tool, durationMs: 7 };
  return { type: "call_end", status: "completed", ...facts };
}

interface Listening {
  events: { event: string; data: any }[];
  text(): string;
  end(): Promise<void>;
  ended: Promise<void>;
}

async function listen(it: ServedHost, token?: string): Promise<Listening> {
  const answer = await it.ask("/events", token === undefined ? {} : { token });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const events: Listening["events"] = [];
  let text = "";
  const read = async () => {
    let rest = "";
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      text += value;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (event !== undefined) events.push({ event, data: JSON.parse(data ?? "null") });
      }
    }
  };
  const ended = read().catch(() => {});
  return { events, text: () => text, end: () => reader.cancel(), ended };
}

function textOf(outcome: { result?: any }): string {
  return String(outcome.result?.content[0].text);
}
