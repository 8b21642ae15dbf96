/** The gate of every call: what plugins may say before, whoever is asked, and what is made of the outcome. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { parseJson } from "../../lib/base/json.ts";
import type { PolicyRule } from "../../lib/config/types.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import type { BeforeCall, PluginCall } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import { PluginGate } from "../../lib/host/gate.ts";
import { bunAlone, root } from "../harness.ts";
import { hooked, hostWith, never, object } from "./kit.ts";

function said(outcome: Outcome): unknown {
  if (outcome.error !== undefined) return `${outcome.status}: ${outcome.error.message}`;
  const { content } = outcome.result as { content?: { text?: string }[] };
  return `${outcome.status}: ${content?.[0]?.text}`;
}

async function called(
  hooks: Hooks | Hooks[],
  request: object = {},
  policy: PolicyRule[] = [],
): Promise<unknown> {
  const plugins = [hooks].flat().map((each, at) => hooked(each, `p${at}`));
  await using host = await hostWith(plugins, { policy });
  return said(await host.call({ tool: "buy", arguments: { n: 1 }, ...request }));
}

const asking: PolicyRule[] = [{ do: "ask", tools: "buy", reason: "it costs" }];

/** Approves, with another number. */
const yesWith = (n: unknown): Hooks => ({
  approve: () => ({ approve: true, arguments: { n } as never }),
});

/** An object that throws when it is asked anything of this kind. */
const unreadable = (trap: "has" | "ownKeys"): never =>
  new Proxy(
    {},
    {
      [trap]() {
        throw new Error(trap);
      },
    },
  ) as never;

/** Whoever awaits it waits for ever. */
// oxlint-disable-next-line unicorn/no-thenable
const pending = Object.assign(() => {}, { then() {} });

const late = <T>(answer: T) => Bun.sleep(20).then(() => answer);

/** Adds a word to the result. */
const more = (text: string): Hooks => ({
  afterCall: (_, outcome) => ({ result: `${said(outcome)} ${text}` }),
});

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
