/** Plugins that approve: which of them decides, how long that may take, and what their answer is held against. */
import { describe, expect, test } from "bun:test";

import type { PolicyRule } from "../../lib/config/types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { PluginGate } from "../../lib/host/gate.ts";
import { asking, called, said } from "./gate-kit.ts";
import { hooked, hostWith, never } from "./kit.ts";

/** Approves, with another number. */
const yesWith = (n: unknown): Hooks => ({
  approve: () => ({ approve: true, arguments: { n } as never }),
});

const late = <T>(answer: T) => Bun.sleep(20).then(() => answer);

describe("approval", () => {
  const maybe: Hooks = { approve: () => undefined };

  test("the first plugin that has a word decides", async () => {
    const yes: Hooks = { approve: () => ({ approve: true }) };
    const no: Hooks = { approve: async () => ({ reject: "too dear" }) };
    expect(await called([maybe, yes, no], {}, asking)).toBe("completed: bought 1");
    expect(await called([maybe, no, yes], {}, asking)).toBe(
      'denied: buy of server "shop" is denied by plugin "p1": too dear',
    );
    expect(await called([maybe], {}, asking)).toMatch(/nobody can be asked here/);
    expect(await called([yes], { actor: "model" })).toBe("completed: bought 1");
  });

  test("it is told why, and not asked about what nobody asks about", async () => {
    const reasons: unknown[] = [];
    const yes: Hooks = {
      approve: (_, question) => (reasons.push(question.reasons), { approve: true }),
    };
    await called([yes, { beforeCall: () => ({ ask: "sure?" }) }], {}, asking);
    await called([yes]);
    expect(reasons).toEqual([['the rule for "buy": it costs', 'plugin "p1": sure?']]);
  });

  test("who may take longer than any timer is not out of time at once", async () => {
    const limits = { hookTimeoutMs: 2 ** 31, approvalTimeoutMs: 2 ** 31 };
    const hooks: Hooks = { beforeCall: () => late({ ask: "sure?" }) };
    const yes: Hooks = { approve: () => late({ approve: true }) };
    await using host = await hostWith([hooked(hooks), hooked(yes, "q")], { limits });
    const request = { tool: "buy", arguments: { n: 1 } };
    expect(said(await host.call(request))).toBe("completed: bought 1");
    const gate = new PluginGate({
      approve: () => late({ approve: true }),
      log: () => {},
      approvalTimeoutMs: 2 ** 31,
    });
    const { signal } = new AbortController();
    const call = { server: "shop", tool: "buy", arguments: {}, actor: "user", signal };
    await gate.pass(call as never, { decision: { do: "ask", rule: asking[0] } } as never);
  });

  test("other arguments are validated, and held against the rules", async () => {
    expect(await called(yesWith(5), {}, asking)).toBe("completed: bought 5");
    expect(await called(yesWith("x"), {}, asking)).toMatch(
      /^denied: plugin "p0": approve .* do not fit/,
    );
    const rules: PolicyRule[] = [...asking, { do: "deny", arguments: { "/n": "5" } }];
    expect(await called(yesWith(5), {}, rules)).toMatch(/^denied: .* by a rule/);
  });

  test.each([
    [
      () => {
        throw new Error("oops");
      },
      /approve of buy of server "shop" threw: oops/,
    ],
    [() => never, /gave no answer within 500 ms/],
    [() => true, /returned true: expected nothing, \{ approve: true/],
    [() => ({ approve: false }), /returned \{"approve":false\}/],
    [() => ({ approve: true, reject: "x" }), /expected/],
    [() => ({ approve: true, args: {} }), /expected/],
    [() => ({ reject: 1 }), /expected/],
  ] as [() => never, RegExp][])("an approver that fails denies: %p", async (approve, expected) => {
    expect(await called({ approve }, {}, asking)).toMatch(expected);
    expect(await called({ approve }, {}, asking)).toMatch(/^denied: plugin "p0": /);
  });
});
