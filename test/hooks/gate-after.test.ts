/** What plugins make of the outcome of a call, and what they cannot make of it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { Outcome } from "../../lib/hooks/call.ts";
import type { PluginCall } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { bunAlone } from "../harness.ts";
import { called, pending, said, unreadable } from "./gate-kit.ts";
import { hooked, hostWith, never } from "./kit.ts";

/** Adds a word to the result. */
const more = (text: string): Hooks => ({
  afterCall: (_, outcome) => ({ result: `${said(outcome)} ${text}` }),
});

describe("after a call", () => {
  test("each outcome is told, a denied one too, and its result can be replaced, from plugin to plugin", async () => {
    const seen: string[] = [];
    const tell: Hooks = {
      afterCall: (call, outcome) => void seen.push(`${call.tool} ${outcome.status}`),
    };
    await using host = await hostWith([hooked(tell)], { policy: [{ do: "deny", tools: "echo" }] });
    await host.call({ tool: "buy", arguments: { n: 1 } });
    await host.call({ tool: "buy", arguments: {} });
    await host.call({ tool: "echo" });
    await host.call({ tool: "fail" });
    await host.call({ tool: "nothing" });
    expect(seen).toEqual(["buy completed", "buy failed", "echo denied", "fail failed"]);

    expect(await called([more("a"), more("b")])).toBe(
      "completed: completed: completed: bought 1 a b",
    );
    expect(await called([more("late")], { tool: "fail" })).toMatch(
      /^completed: failed: fail of plugin/,
    );
    const outcomes: Outcome[] = [];
    await using other = await hostWith([hooked(more("a"))]);
    outcomes.push(await other.call({ tool: "buy", arguments: { n: 1 } }));
    expect(outcomes[0]).toMatchObject({ raw: JSON.stringify(outcomes[0]!.result) });
  });

  test("a result is told however deep it is nested", async () => {
    const kit = join(import.meta.dir, "../fixtures/servers/kit.ts");
    const script = `
      import { serve } from ${JSON.stringify(kit)};
      const deep = "[".repeat(100000) + "]".repeat(100000);
      await serve({
        tools: [{ name: "deep", inputSchema: { type: "object" } }],
        on: { "tools/call": ({ id }, server) => server.raw(
          '{"jsonrpc":"2.0","id":' + id + ',"result":{"content":[],"structuredContent":' + deep + "}}\\n"
        ) },
      });`;
    const [command = "", ...flags] = bunAlone;
    const servers = { s: { command, args: [...flags, "-e", script] } };
    const seen: string[] = [];
    const tell: Hooks = { afterCall: (_, { status }) => void seen.push(status) };
    await using host = await hostWith([hooked(tell)], { servers, env: process.env });
    expect((await host.call({ tool: "deep" })).status).toBe("completed");
    expect(seen).toEqual(["completed"]);
  });

  test("why it failed stays what it was", async () => {
    const gloss: Hooks = {
      beforeCall: () => ({ deny: "no" }),
      afterCall(_, { error }) {
        for (const [key, value] of Object.entries({ code: "tool_error", message: "fine" }))
          expect(() => Object.assign(error!, { [key]: value })).toThrow(TypeError);
        expect(() => Object.assign(error!.facts, { reason: "fine" })).toThrow(TypeError);
      },
    };
    await using host = await hostWith([hooked(gloss)]);
    const { error } = await host.call({ tool: "buy", arguments: { n: 1 } });
    expect(error).toMatchObject({
      code: "denied",
      message: 'buy of server "shop" is denied by plugin "p": no',
      facts: { reason: "no" },
    });
    expect(host.warnings()).toEqual([]);
  });

  test("what was denied stays so", async () => {
    const hide: Hooks = {
      beforeCall: () => ({ deny: "no" }),
      afterCall: () => ({ result: "yes" }),
    };
    await using host = await hostWith([hooked(hide)]);
    expect((await host.call({ tool: "buy", arguments: { n: 1 } })).status).toBe("denied");
    expect(host.warnings()).toEqual([
      'plugin "p": afterCall of buy of server "shop" returned {"result":"yes"}: expected nothing, since a call that is denied has no result',
    ]);
  });

  test.each([
    [
      () => {
        throw new Error("oops");
      },
      /threw: oops/,
    ],
    [() => Promise.reject(new Error("oops")), /threw: oops/],
    [() => never, /gave no answer within 500 ms/],
    [() => "x", /returned "x": expected nothing or \{ result \}/],
    [() => ({ result: 1n }), /afterCall returned no result/],
    [() => ({ result: undefined }), /returned \{\}: expected nothing or \{ result \}/],
    [() => unreadable("has"), /threw: has/],
    [() => pending, /gave no answer within 500 ms/],
    [
      (_: PluginCall, outcome: Outcome) => {
        outcome.durationMs = 0;
      },
      /threw: .*readonly/,
    ],
    [
      (_: PluginCall, { result }: Outcome) => {
        (result as { content: unknown[] }).content.length = 0;
      },
      /threw: /,
    ],
  ] as [() => never, RegExp][])(
    "what fails is logged, and changes nothing: %p",
    async (afterCall, expected) => {
      await using host = await hostWith([hooked({ afterCall })]);
      expect(said(await host.call({ tool: "buy", arguments: { n: 1 } }))).toBe(
        "completed: bought 1",
      );
      expect(host.warnings()).toHaveLength(1);
      expect(host.warnings()[0]).toMatch(/^plugin "p": afterCall /);
      expect(host.warnings()[0]).toMatch(expected);
    },
  );
});
