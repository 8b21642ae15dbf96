/** Reported faults of servers that can do one thing at a time. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { entry, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B100 servers that can do one thing at a time", () => {
  test("with concurrency 1, ten calls at once wait their turn, and that time is not counted", async () => {
    await using host = await hostOver({ s: entry("life.serial", { concurrency: 1 }, "150") });
    await host.tools();
    const calls = Array.from({ length: 10 }, (_, n) =>
      host.call({ tool: "fault", arguments: { n }, timeoutMs: 750 }),
    );
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, n) => String(n)));
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  });

  test("a slow one is not taken for dead without it either: what runs out is told, and the next call works", async () => {
    await using host = await hostOver({ s: entry("life.serial", {}, "100") });
    await host.tools();
    const calls = Array.from({ length: 10 }, (_, n) =>
      host.call({ tool: "fault", arguments: { n }, timeoutMs: 450 }),
    );
    for (const outcome of await Promise.all(calls))
      expect(["completed", "failed"]).toContain(outcome.status);
    expect(textOf(await host.call({ tool: "fault", arguments: { n: 11 } }))).toBe("11");
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  });

  test("exit 0 in the middle of calls is a crash for all that wait; with a limit it never happens", async () => {
    await using host = await hostOver({ s: entry("life.three-is-too-much") });
    await host.tools();
    const calls = Array.from({ length: 3 }, () => host.call({ tool: "fault" }));
    for (const outcome of await Promise.all(calls))
      expect(outcome).toMatchObject({ status: "uncertain", error: { facts: { exitCode: 0 } } });
    await using limited = await hostOver({
      s: entry("life.three-is-too-much", { concurrency: 2 }),
    });
    const more = Array.from({ length: 6 }, () => limited.call({ tool: "fault" }));
    expect((await Promise.all(more)).map(textOf)).toEqual(more.map(() => "right"));
  });
});
