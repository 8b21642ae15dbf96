/** Calls under way over every transport and era: followed, given up, logged, many at once, ended. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { openWay, ways } from "./ways.ts";

describe.each(ways)("$name", (way) => {
  test("progress, in order and whole", async () => {
    await using on = await openWay(way);
    const seen: unknown[] = [];
    const outcome = await on.host.call({
      tool: "slow",
      arguments: { steps: 4, ms: 1 },
      onProgress: (progress) => seen.push(progress),
    });
    expect(outcome).toMatchObject({ status: "completed" });
    expect(seen).toEqual(
      [1, 2, 3, 4].map((step) => ({ progress: step, total: 4, message: `step ${step}` })),
    );
  });

  test("progress keeps a call alive for longer than its idle time", async () => {
    await using on = await openWay(way);
    const call = { tool: "slow", arguments: { steps: 10, ms: 60 }, onProgress: () => {} };
    expect(await on.host.call({ ...call, timeoutMs: 400 })).toMatchObject({ status: "completed" });
  });

  test("a call that is given up: the server hears of it, and goes on", async () => {
    await using on = await openWay(way);
    await on.host.tools();
    const abort = new AbortController();
    const calling = on.host.call({ tool: "hang", signal: abort.signal });
    // It was made later: once it moves, the first one was sent.
    const others = on.host.call({
      tool: "slow",
      arguments: { steps: 2, ms: 20 },
      onProgress: () => abort.abort(),
    });
    expect(await calling).toMatchObject({ status: "cancelled", sent: true });
    const result = { content: [{ text: "done after 2 steps" }] };
    expect(await others).toMatchObject({ status: "completed", result });
    await waitFor(async () => (await on.say("cancelled")) === "1", "the server to hear of it");
  });

  test("a call that takes too long", async () => {
    await using on = await openWay(way);
    await on.host.tools();
    const outcome = await on.host.call({ tool: "hang", timeoutMs: 50 });
    expect(outcome).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
    await waitFor(async () => (await on.say("cancelled")) === "1", "the server to hear of it");
  });

  test("what the server logs while a call runs", async () => {
    await using on = await openWay(way);
    expect(await on.say("log", { level: "error" })).toBe("logged");
    expect(await on.say("log", { level: "debug" })).toBe("logged");
    const isHeard = () => on.logged.filter(({ source }) => source === "notification");
    await waitFor(() => isHeard().length > 0, "the line");
    expect(isHeard()).toMatchObject([{ level: "error", server: "srv" }]);
    expect(isHeard()[0]!.text).toContain("a line at error");
  });

  test("100 calls in flight, each with its own answer", async () => {
    await using on = await openWay(way, { entry: { concurrency: 100 } });
    const calls = Array.from({ length: 100 }, (_, a) => on.say("add", { a, b: 0.5 }));
    expect(await Promise.all(calls)).toEqual(calls.map((_, a) => String(a + 0.5)));
  });

  test("two hosts on one server do not mix", async () => {
    await using on = await openWay(way);
    await using other = await openWay(way, on.server && { entry: { url: on.server.url } });
    const calls = [on, other].flatMap(({ say }, side) =>
      Array.from({ length: 20 }, (_, a) => say("add", { a: side * 1000, b: a })),
    );
    expect(await Promise.all(calls)).toEqual(
      calls.map((_, index) => String((index < 20 ? 0 : 1000) + (index % 20))),
    );
  });

  test("ends clean while calls are under way", async () => {
    const on = await openWay(way);
    await on.host.tools();
    const hanging = [on.host.call({ tool: "hang" }), on.host.call({ tool: "hang" })];
    await Bun.sleep(20);
    await on[Symbol.asyncDispose]();
    for (const outcome of await Promise.all(hanging))
      expect(["failed", "cancelled", "uncertain"]).toContain(outcome.status);
  });
});
