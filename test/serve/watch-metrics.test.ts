/** `/metrics`: what is counted, by which names, and whose numbers somebody sees. */
import { describe, expect, test } from "bun:test";

import type { HostEvent } from "../../lib/host/types.ts";
import { Counters, otherTools } from "../../lib/serve/counters.ts";
import { waitFor } from "../processes.ts";
import { serveOver } from "./kit.ts";
import { fixture, states } from "./watch-kit.ts";

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

/** A call that has ended well. */
function callEnd(tool: string): HostEvent {
  const facts = { id: "1", owner: "default", server: "a", tool, durationMs: 7 };
  return { type: "call_end", status: "completed", ...facts };
}
