/** Rules and plugins that speak anew while a call waits for approval, and about what an approver made of it. */
import { expect, setDefaultTimeout, test } from "bun:test";

import type { Plugin } from "../../lib/hooks/plugin.ts";
import { approve } from "../../lib/host/deciding.ts";
import { textOf } from "../host/kit.ts";
import { ask, runs, stateOf, told, world } from "./waiting-kit.ts";

setDefaultTimeout(30_000);

test("a rule that forbids it by now, and one that other arguments meet", async () => {
  await using here = await world({
    policy: [ask, { tools: "count", arguments: { "/by": "7" }, do: "deny", reason: "no sevens" }],
  });
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id), { arguments: { by: 7 } });
  expect(textOf(await first.outcome)).toMatch(/^denied: .*no sevens/);
  expect(await stateOf(here, first.id)).toBe("cancelled");
  const second = await here.asked({ by: 1 });
  const policy = [ask, { tools: "count", do: "deny", reason: "not any more" } as const];
  await here.host.reconfigure({ servers: [here.entry], policy, graceMs: 100 });
  await approve(here.store, told(second.id));
  expect(textOf(await second.outcome)).toMatch(/^denied: .*not any more/);
  expect(await runs(here)).toEqual([]);
});

test("a rule of now that only the approver's arguments meet", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  const no = {
    tools: "count",
    arguments: { "/by": "7" },
    do: "deny",
    reason: "no sevens",
  } as const;
  await here.host.reconfigure({ servers: [here.entry], policy: [ask, no], graceMs: 100 });
  await approve(here.store, told(id), { arguments: { by: 7 } });
  expect(textOf(await outcome)).toMatch(/^denied: .*no sevens/);
  expect(await stateOf(here, id)).toBe("cancelled");
  expect(await runs(here)).toEqual([]);
});

test("a plugin that denies what an approver made of it", async () => {
  const seen: unknown[] = [];
  const plugin: Plugin = {
    name: "no-sevens",
    hooks: {
      beforeCall({ arguments: args }) {
        seen.push(args["by"]);
        if (args["by"] === 7) return { deny: "no sevens" };
        return args["by"] === 8 ? { arguments: { by: 80 } } : undefined;
      },
    },
  };
  await using here = await world({ plugins: [plugin] });
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id), { arguments: { by: 7 } });
  expect(textOf(await first.outcome)).toMatch(/^denied: .*plugin "no-sevens": no sevens/);
  expect(await stateOf(here, first.id)).toBe("cancelled");
  // What was allowed is what is done: nothing else that a plugin says of it counts.
  const second = await here.asked({ by: 2 });
  await approve(here.store, told(second.id), { arguments: { by: 8 } });
  expect(textOf(await second.outcome)).toBe("8");
  const third = await here.asked({ by: 3 });
  await approve(here.store, told(third.id));
  expect(textOf(await third.outcome)).toBe("3");
  expect(seen).toEqual([1, 7, 2, 8, 3]);
  expect(await runs(here)).toEqual(["8", "3"]);
});

test("a plugin's answer to other arguments is none to those of an approver", async () => {
  const answers: Record<string, string> = { 1: "one", 2: "two" };
  const cache: Plugin = {
    name: "cache",
    hooks: {
      beforeCall({ arguments: { by } }) {
        const result = answers[String(by)];
        return result === undefined ? undefined : { result };
      },
    },
  };
  await using here = await world({ plugins: [cache] });
  for (const [args, expected] of [
    [undefined, "one"],
    [{ by: 2 }, "two"],
    [{ by: 5 }, "5"],
  ] as const) {
    const { id, outcome } = await here.asked({ by: 1 });
    await approve(here.store, told(id), { arguments: args });
    expect(textOf(await outcome)).toBe(expected);
  }
  expect(await runs(here)).toEqual(["5"]);
});

test("a rule of now for the name that a plugin shows the tool by", async () => {
  const rename: Plugin = {
    name: "rename",
    hooks: {
      listTools: (tools) =>
        tools.map((tool) => (tool.tool === "count" ? { ...tool, name: "tally" } : tool)),
    },
  };
  await using here = await world({ plugins: [rename] });
  const { id, outcome } = await here.asked({ by: 1 }, "tally");
  const no = { tools: "tally", do: "deny", reason: "no tallies" } as const;
  await here.host.reconfigure({ servers: [here.entry], policy: [ask, no], graceMs: 100 });
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toMatch(/^denied: .*no tallies/);
  expect(await runs(here)).toEqual([]);
});
