/** Who answers a call that waits for approval, and what one answer means for other calls. */
import { expect, setDefaultTimeout, test } from "bun:test";

import type { Plugin } from "../../lib/hooks/plugin.ts";
import { approve, reject } from "../../lib/host/deciding.ts";
import { textOf } from "../host/kit.ts";
import { runs, told, world } from "./waiting-kit.ts";

setDefaultTimeout(30_000);

test("what somebody was still changing at a terminal is not what others allowed", async () => {
  let changed = Promise.withResolvers<void>();
  let ticks = 0;
  const here = await world({
    approve: async (call, { signal }) => {
      signal.addEventListener("abort", async () => {
        // The check of what was typed ends when others have decided.
        for (let tick = 0; tick < ticks; tick++) await undefined;
        await call.revise({ by: 99 }).catch(() => {});
      });
      if (call.view().arguments["by"] !== 1) return await new Promise<never>(() => {});
      await call.revise({ by: 99 });
      changed.resolve();
      return await new Promise<never>(() => {});
    },
  });
  await using _here = here;
  for (; ticks < 120; ticks += 3) {
    const late = await here.asked({ by: 2 });
    await approve(here.store, told(late.id));
    expect(textOf(await late.outcome)).toBe("2");
  }
  const first = await here.asked({ by: 1 });
  await changed.promise;
  await approve(here.store, told(first.id));
  expect(textOf(await first.outcome)).toBe("1");
  changed = Promise.withResolvers();
  const second = await here.asked({ by: 1 });
  await changed.promise;
  const other = await here.asked({ by: 3 });
  await approve(here.store, told(other.id), { always: { what: "tool" } });
  expect(textOf(await second.outcome)).toBe("1");
  expect(await runs(here)).not.toContain("99");
});

test("many questions of one tool: the first always answers the others, in its session alone", async () => {
  await using here = await world();
  const calls = await Promise.all(Array.from({ length: 5 }, (_, i) => here.asked({ by: i })));
  await approve(here.store, told(calls[2]!.id), { always: { what: "session" } });
  const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
  expect(outcomes.map(textOf)).toEqual(["0", "1", "2", "3", "4"]);
  expect((await runs(here)).toSorted()).toEqual(["0", "1", "2", "3", "4"]);
  await here.store.grants.endSession("s");
  const { id, outcome } = await here.asked({ by: 9 });
  await reject(here.store, told(id), "enough");
  expect(textOf(await outcome)).toMatch(/was rejected: enough/);
});

test("a grant for a server covers the tools that it had then", async () => {
  await using here = await world({ policy: [{ servers: "one", do: "ask" }] });
  const { id, outcome } = await here.asked({ by: 1 });
  await approve(here.store, told(id), { always: { what: "server" } });
  expect(textOf(await outcome)).toBe("1");
  expect(textOf(await here.host.call({ tool: "plain" }))).toBe("plain");
  const [grant] = await here.store.grants.list(undefined);
  expect(Object.keys(grant!.definitions).toSorted()).toEqual(["count", "echo", "plain", "silent"]);
});

test("whoever is here and whoever is elsewhere race: the first answer counts, and the other question ends", async () => {
  const ended: string[] = [];
  const here = await world({
    approve: async (call, { signal }) =>
      await new Promise((resolve) => {
        signal.addEventListener("abort", () => ended.push(call.view().id));
        if (call.view().arguments["by"] === 2) resolve({ approve: true, arguments: { by: 20 } });
      }),
  });
  await using _here = here;
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id));
  expect(textOf(await first.outcome)).toBe("1");
  expect(ended).toEqual([first.id]);
  const second = await here.asked({ by: 2 });
  expect(textOf(await second.outcome)).toBe("20");
  expect(await here.store.approvals.get(undefined, second.id)).toMatchObject({
    state: "completed",
    proposed: { by: 2 },
    effective: { by: 20 },
    decidedBy: "terminal",
  });
});

test("a plugin approves or rejects, and that is kept; at fault it denies", async () => {
  const plugin: Plugin = {
    name: "judge",
    hooks: {
      approve({ arguments: args }) {
        if (args["by"] === 1) return { approve: true, arguments: { by: 10 } };
        if (args["by"] === 2) return { reject: "never two" };
        if (args["by"] === 3) throw new Error("three");
        return undefined;
      },
    },
  };
  await using here = await world({ plugins: [plugin], waits: false });
  const called = async (by: number) => textOf(await (await here.asked({ by })).outcome);
  expect(await called(1)).toBe("10");
  expect(await called(2)).toMatch(/^denied: .*never two/);
  expect(await called(3)).toMatch(/^denied: .*three/);
  expect(await called(4)).toMatch(/^denied: .*needs approval and nobody can be asked here/);
  const rows = await here.store.approvals.list(undefined, ["completed", "rejected", "cancelled"]);
  expect(rows.map(({ proposed, state }) => [proposed["by"], state]).toSorted()).toEqual([
    [1, "completed"],
    [2, "rejected"],
    [3, "rejected"],
    [4, "cancelled"],
  ]);
});

test("expired, and a decision after that", async () => {
  await using here = await world({ timeoutMs: 200 });
  const { id, outcome } = await here.asked({ by: 1 });
  expect(textOf(await outcome)).toMatch(/^denied: nobody answered within 200 ms/);
  await expect(approve(here.store, told(id))).rejects.toThrow("is expired");
  expect(await runs(here)).toEqual([]);
});
