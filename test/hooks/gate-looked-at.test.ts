/** What plugins look at is what is done, whatever happens to arguments meanwhile. */
import { describe, expect, test } from "bun:test";

import { parseJson } from "../../lib/base/json.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { said } from "./gate-kit.ts";
import { hooked, hostWith, object } from "./kit.ts";

/** Lets nothing through but one path; it has looked when `until` is over. */
const looking = (begun: () => void = () => {}, until?: Promise<void>): Hooks => ({
  async beforeCall(call) {
    begun();
    await until;
    if (call.arguments["path"] !== "/ok") return { deny: "elsewhere" };
  },
});

describe("what is looked at is what is done", () => {
  test("arguments that are changed while plugins look at them", async () => {
    const begun = Promise.withResolvers<void>();
    const changed = Promise.withResolvers<void>();
    await using host = await hostWith([hooked(looking(begun.resolve, changed.promise))]);
    const args = { path: "/ok" };
    const calling = host.call({ tool: "echo", arguments: args });
    await begun.promise;
    args.path = "/etc";
    changed.resolve();
    expect((await calling).result?.structuredContent).toEqual({ path: "/ok" });
  });

  test("arguments that say something else each time", async () => {
    await using host = await hostWith([hooked(looking())]);
    const lying = { path: "/ok", toJSON: () => ({ path: "/etc" }) };
    expect(said(await host.call({ tool: "echo", arguments: lying as never }))).toMatch(
      /^denied: .*elsewhere/,
    );
    let reads = 0;
    const fickle = {
      get path() {
        return (reads += 1) > 1 ? "/etc" : "/ok";
      },
    };
    const { result } = await host.call({ tool: "echo", arguments: fickle });
    expect(result?.structuredContent).toEqual({ path: "/ok" });
  });

  test("a plugin that changes one argument takes no digit from another", async () => {
    const sent: string[] = [];
    const hooks: Hooks = {
      beforeCall: (call) => ({ arguments: { ...call.arguments, more: 1 } }),
      message: ({ direction, text }) => void (direction === "out" && sent.push(text)),
    };
    await using host = await hostWith([hooked(hooks)]);
    const id = JSON.rawJSON("12345678901234567890") as unknown as number;
    await host.call({ tool: "echo", arguments: { id } });
    expect(sent.at(-1)).toContain('"arguments":{"id":12345678901234567890,"more":1}');
  });

  test("a plugin that changes a part of a result takes no digit from another; what it reads are numbers", async () => {
    const read: unknown[] = [];
    const hooks: Hooks = {
      afterCall(_, { result }) {
        const { structuredContent: found, ...rest } = result as { structuredContent: object };
        read.push(...Object.values(found));
        return { result: { ...rest, structuredContent: { ...found, seen: true } } as never };
      },
    };
    const big = { description: "", input: object, run: ({ text }: any) => parseJson(text) };
    const plugins = [hooked(hooks), hooked(hooks, "q"), { name: "far", tools: { big } }];
    await using host = await hostWith(plugins);
    const [id, near, half] = [
      "12345678901234567890",
      "12345678901234567891",
      "0.12345678901234567",
    ];
    for (const [given, expected] of [
      [`{"id":${id},"list":[1,${half}]}`, `{"id":${id},"list":[1,${half}],"seen":true}`],
      // Which of the two it is nobody can tell.
      [`{"id":${id},"near":${near}}`, `{"id":${Number(id)},"near":${Number(near)},"seen":true}`],
    ] as const) {
      const outcome = await host.call({ tool: "big", arguments: { text: given } });
      expect("raw" in outcome && outcome.raw).toContain(`"structuredContent":${expected}`);
    }
    expect(read.filter((one) => one === Number(id))).toHaveLength(6);
    expect(host.warnings()).toEqual([]);
  });

  test("arguments that are no JSON are refused, with plugins as without", async () => {
    const round: Record<string, unknown> = {};
    round["self"] = round;
    let told = 0;
    const hooks: Hooks = { beforeCall() {}, afterCall: () => void (told += 1) };
    await using host = await hostWith([hooked(hooks)]);
    for (const args of [round, { n: 1n }])
      expect(said(await host.call({ tool: "echo", arguments: args as never }))).toMatch(
        /^failed: the arguments of echo are no JSON/,
      );
    expect(told).toBe(2);
  });
});
