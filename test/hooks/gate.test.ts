/** The gate before a call: what plugins and rules say, in which order, and which of them counts. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { PolicyRule } from "../../lib/config/types.ts";
import type { BeforeCall } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { bunAlone, root } from "../harness.ts";
import { asking, called } from "./gate-kit.ts";

describe("before a call", () => {
  test.each([
    [{ deny: "not today" }, 'denied: buy of server "shop" is denied by plugin "p0": not today'],
    [{ deny: "" }, 'denied: buy of server "shop" is denied by plugin "p0"'],
    [{ arguments: { n: 7 } }, "completed: bought 7"],
    [{ result: "kept" }, "completed: kept"],
    [{ result: { content: [], isError: true } }, "failed: undefined"],
    [{ result: [{ type: "text", text: "block" }] }, "completed: block"],
    [{ result: 5 }, "completed: 5"],
    [{ allow: true }, "completed: bought 1"],
    [undefined, "completed: bought 1"],
    [null, "completed: bought 1"],
  ] as [BeforeCall | undefined | null, string][])("%p: %s", async (answer, expected) => {
    expect(await called({ beforeCall: () => answer })).toBe(expected);
    expect(await called({ beforeCall: async () => answer })).toBe(expected);
  });

  test("one that asks is denied where nobody approves, and names all who asked", async () => {
    expect(
      await called(
        [{ beforeCall: () => ({ ask: "sure?" }) }, { beforeCall: () => ({ ask: "really?" }) }],
        {},
        asking,
      ),
    ).toBe(
      'denied: buy of server "shop" needs approval and nobody can be asked here (the rule for "buy": it costs; plugin "p0": sure?; plugin "p1": really?)',
    );
  });

  test("a yes of a plugin answers a default, and neither rule nor plugin that asks", async () => {
    const yes: Hooks = { beforeCall: () => ({ allow: true }) };
    for (const actor of ["model", "script"] as const) {
      expect(await called({}, { actor })).toMatch(
        /^denied: .*\(the calls of a (model|script) are asked about\)$/,
      );
      expect(await called(yes, { actor })).toBe("completed: bought 1");
    }
    expect(await called(yes, {}, asking)).toMatch(/^denied/);
    expect(await called([yes, { beforeCall: () => ({ ask: "?" }) }])).toMatch(/^denied/);
  });

  test("a yes of the person beforehand answers plugins that ask, and no plugin that denies", async () => {
    const answer: PolicyRule[] = [...asking, { do: "allow", tools: "buy", answers: true }];
    expect(await called({ beforeCall: () => ({ ask: "?" }) }, {}, answer)).toBe(
      "completed: bought 1",
    );
    expect(await called({ beforeCall: () => ({ deny: "no" }) }, {}, answer)).toMatch(/^denied/);
  });

  test("what a rule denies no plugin is asked about, and none can allow", async () => {
    let asked = 0;
    const yes: Hooks = { beforeCall: () => ((asked += 1), { allow: true, result: "x" }) };
    expect(await called(yes, {}, [{ do: "deny", tools: "buy" }])).toMatch(/^denied.*by the rule/);
    expect(asked).toBe(0);
  });

  test("arguments go from plugin to plugin; the first result stands, and a later plugin may still deny", async () => {
    const seen: unknown[] = [];
    const plus: Hooks = {
      beforeCall: (call) => (
        seen.push(call.arguments),
        { arguments: { n: Number(call.arguments.n) + 1 } }
      ),
    };
    expect(await called([plus, plus, plus])).toBe("completed: bought 4");
    expect(seen).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const one: Hooks = { beforeCall: () => ({ result: "one" }) };
    expect(await called([one, { beforeCall: () => ({ result: "two" }) }])).toBe("completed: one");
    expect(await called([one, { beforeCall: () => ({ deny: "no" }) }])).toMatch(/^denied/);
    expect(await called(one, {}, asking)).toMatch(/^denied/);
  });

  test("other arguments are validated again, and the rules are applied again", async () => {
    expect(await called({ beforeCall: () => ({ arguments: { n: "many" } }) })).toMatch(
      /^denied: plugin "p0": beforeCall of buy of server "shop" gave arguments that do not fit: buy: argument n: expected integer/,
    );
    const rules: PolicyRule[] = [{ do: "deny", arguments: { "/n": "9" } }];
    expect(await called({ beforeCall: () => ({ arguments: { n: 9 } }) }, {}, rules)).toMatch(
      /^denied: buy of server "shop" is denied by a rule/,
    );
    const ask: PolicyRule[] = [{ do: "ask", arguments: { "/n": "1" } }];
    expect(await called({ beforeCall: () => ({ arguments: { n: 2 } }) }, {}, ask)).toBe(
      "completed: bought 2",
    );
    const sneaky = JSON.parse('{"__proto__": {"n": 1}, "n": 2}');
    expect(await called({ beforeCall: () => ({ arguments: sneaky }) })).toMatch(/unknown argument/);
  });
});

test("arguments that do not fit end no program that is asked about them", async () => {
  // A program of its own, whose gate is loaded while the arguments are already known not to fit.
  const script = `
    import { createHost } from ${JSON.stringify(join(root, "mcphost.ts"))};
    const [command, ...args] = ${JSON.stringify([...bunAlone, join(root, "examples/echo.ts")])};
    const policy = [{ do: "ask", arguments: { "/a": "x" } }];
    await using host = await createHost({ servers: { s: { command, args } }, policy, env: process.env });
    for (const a of [true, "x"]) console.log((await host.call({ tool: "add", arguments: { a } })).error.code);`;
  const [command = "", ...flags] = bunAlone;
  await using child = Bun.spawn([command, ...flags, "-e", script], { stderr: "pipe" });
  expect(await child.stderr.text()).toBe("");
  expect(await child.stdout.text()).toBe("usage\nusage\n");
  expect(await child.exited).toBe(0);
});
