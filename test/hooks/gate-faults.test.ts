/** Plugins at fault before a call: whatever they answer or change, no call gets past them by it. */
import { describe, expect, test } from "bun:test";

import type { PluginCall } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { pending, said, unreadable } from "./gate-kit.ts";
import { hooked, hostWith, never } from "./kit.ts";

describe("before a call", () => {
  test.each([
    [
      "throws",
      () => {
        throw new Error("oops");
      },
      /threw: oops$/,
    ],
    [
      "throws no error",
      () => {
        throw undefined;
      },
      /threw: undefined$/,
    ],
    ["rejects", () => Promise.reject(new Error("oops")), /threw: oops$/],
    ["never settles", () => never, /gave no answer within 500 ms$/],
    ["is no word", () => "no", /returned "no": expected nothing, \{ deny: reason \}/],
    ["is empty", () => ({}), /returned \{\}: expected/],
    ["has a key that nobody knows", () => ({ denied: "x" }), /returned \{"denied":"x"\}: expected/],
    ["denies without a reason", () => ({ deny: true }), /returned \{"deny":true\}: expected/],
    ["is two decisions", () => ({ allow: true, ask: "x" }), /expected/],
    ["has arguments that are none", () => ({ arguments: [1] }), /expected/],
    ["has a result that is no JSON", () => ({ result: 1n }), /expected a result/],
    [
      "has arguments that are no JSON",
      () => ({ arguments: { n: 1n } }),
      /gave arguments that do not fit/,
    ],
    ["is a promise of nonsense", async () => false, /returned false: expected/],
    ["cannot be looked at", () => unreadable("has"), /threw: has/],
    ["cannot be read", () => unreadable("ownKeys"), /returned a value of type object: expected/],
    [
      "throws where it is read",
      () => ({
        get deny() {
          throw new Error("oops");
        },
      }),
      /returned a value of type object: expected/,
    ],
    ["never settles, and is a function", () => pending, /gave no answer within 500 ms$/],
  ] as [string, () => never, RegExp][])(
    "an answer that %s denies, and the next call works",
    async (_, answer, expected) => {
      let isFaulty = true;
      await using host = await hostWith([
        hooked({ beforeCall: () => (isFaulty ? answer() : undefined) }, "bad"),
      ]);
      const outcome = await host.call({ tool: "buy", arguments: { n: 1 } });
      expect(outcome.status).toBe("denied");
      expect(outcome.error?.message).toMatch(/^plugin "bad": beforeCall of buy of server "shop" /);
      expect(outcome.error?.message).toMatch(expected);
      expect(outcome.error?.facts).toMatchObject({
        plugin: "bad",
        hook: "beforeCall",
        server: "shop",
        tool: "buy",
      });
      isFaulty = false;
      expect(said(await host.call({ tool: "buy", arguments: { n: 1 } }))).toBe(
        "completed: bought 1",
      );
    },
  );

  test("a call that is given up waits for no plugin", async () => {
    await using host = await hostWith([hooked({ beforeCall: () => never })], { limits: {} });
    const controller = new AbortController();
    const calling = host.call({ tool: "buy", arguments: { n: 1 }, signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    expect((await calling).status).toBe("cancelled");
  });

  test("nothing that is done to the call changes ours", async () => {
    const faults: string[] = [];
    const meddle = (call: PluginCall) => {
      const tries: (() => unknown)[] = [
        () => ((call as { tool: string }).tool = "fail"),
        () => ((call.arguments as { n: number }).n = 9),
        () => ((call.arguments as { list: { x: number }[] }).list[0]!.x = 9),
        () => ((call.annotations as { readOnlyHint: boolean }).readOnlyHint = false),
        () => call.signal.dispatchEvent(new Event("abort")),
      ];
      for (const attempt of tries)
        try {
          attempt();
        } catch (error) {
          faults.push((error as Error).name);
        }
    };
    await using host = await hostWith([hooked({ beforeCall: meddle })]);
    const outcome = await host.call({ tool: "echo", arguments: { n: 1, list: [{ x: 1 }] } });
    expect(outcome.result?.structuredContent).toEqual({ n: 1, list: [{ x: 1 }] });
    expect(faults).toEqual(["TypeError", "TypeError", "TypeError", "TypeError"]);
  });
});

test("nothing that a plugin does to the signal of a call is done to ours", async () => {
  const lying: Hooks = {
    beforeCall: ({ signal }) => void Object.defineProperty(signal, "aborted", { value: true }),
  };
  const later: Hooks = { beforeCall: async () => undefined };
  await using host = await hostWith([hooked(lying, "a"), hooked(later, "b")]);
  const { signal } = new AbortController();
  const outcome = await host.call({ tool: "buy", arguments: { n: 1 }, signal });
  expect(said(outcome)).toBe("completed: bought 1");
});
