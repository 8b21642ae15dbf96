/** Tools that plugins bring: their names, their arguments and results, and that they pass the gate as all others. */
import { expect, test } from "bun:test";

import * as v from "valibot";

import { HostError } from "../../lib/base/errors.ts";
import type { RunContext } from "../../lib/hooks/plugin-tool.ts";
import { definePlugin } from "../../lib/hooks/plugin.ts";
import type { Hooks, Plugin } from "../../lib/hooks/plugin.ts";
import { hostOver, textOf, tools } from "../host/kit.ts";
import { hooked, hostWith, never, object } from "./kit.ts";

/** A plugin with one tool. */
function toolOf(run: (args: never, context: RunContext) => unknown, more: object = {}): Plugin {
  return { name: "t", tools: { it: { description: "", input: object, run, ...more } } };
}

async function resultOf(run: () => unknown, more: object = {}) {
  await using host = await hostWith([toolOf(run, more)]);
  const { result, error } = await host.call({ tool: "it" });
  return result ?? error;
}

const text = (words: string) => [{ type: "text", text: words }];

test.each([
  ["words", { content: text("words") }],
  [undefined, { content: [] }],
  [5, { content: text("5") }],
  [null, { content: text("null") }],
  [[1, 2], { content: text("[1,2]") }],
  [{ a: 1 }, { content: text('{"a":1}'), structuredContent: { a: 1 } }],
  [text("block"), { content: text("block") }],
  [
    { content: text("no"), isError: true },
    { content: text("no"), isError: true },
  ],
  [{ structuredContent: { a: 1 } }, { content: [], structuredContent: { a: 1 } }],
  [
    { content: "a page" },
    { content: text('{"content":"a page"}'), structuredContent: { content: "a page" } },
  ],
])("what run returns becomes a result: %p", async (returned, expected) => {
  expect(await resultOf(() => returned)).toEqual(expected as never);
  expect(await resultOf(async () => returned)).toEqual(expected as never);
});

test.each([
  [
    () => {
      throw new Error("oops");
    },
    "oops",
  ],
  [() => Promise.reject(new HostError("usage", "not so")), "not so"],
  [
    () => {
      throw "words";
    },
    "words",
  ],
  [() => 1n, expect.stringContaining("BigInt")],
  [() => () => {}, "function is no JSON"],
  [
    () => {
      const round: unknown[] = [];
      round.push(round);
      return round;
    },
    expect.stringContaining("cyclic"),
  ],
])("what fails is the tool's own error, by plugin and tool: %p", async (run, words) => {
  const { content, isError } = (await resultOf(run)) as {
    content: { text: string }[];
    isError: boolean;
  };
  expect(isError).toBe(true);
  const [, plugin, reason] = /^it of plugin "(.*?)" failed: (.*)$/s.exec(content[0]!.text)!;
  expect([plugin, reason]).toEqual(["t", words]);
});

test("one that never settles is given up in its time, and told so; the next call works", async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<boolean>();
  const plugin = toolOf((_, { signal }) => {
    signal.addEventListener("abort", () => resolve(signal.aborted));
    return never;
  });
  await using host = await hostWith([plugin]);
  const outcome = await host.call({ tool: "it", timeoutMs: 50 });
  expect(outcome.error?.code).toBe("timeout");
  expect(await aborted).toBe(true);
  expect((await host.call({ tool: "echo" })).status).toBe("completed");
});

test("valibot checks, fills in and types the arguments; JSON Schema checks them", async () => {
  const plugin = definePlugin({
    name: "t",
    tools: {
      add: {
        description: "Adds",
        input: v.object({
          a: v.number(),
          b: v.optional(v.number(), 40),
          at: v.optional(
            v.pipe(
              v.string(),
              v.transform((it) => it.length),
            ),
          ),
        }),
        output: v.object({ sum: v.number() }),
        run: ({ a, b, at = 0 }) => ({ sum: a + b + at }),
      },
      even: {
        description: "Only even",
        input: v.object({
          n: v.pipe(
            v.number(),
            v.check((n) => n % 2 === 0, "must be even"),
          ),
        }),
        run: ({ n }) => n,
      },
    },
  });
  await using host = await hostWith([plugin]);
  const call = (tool: string, args: object) => host.call({ tool, arguments: args as never });
  expect((await call("add", { a: 2 })).result).toEqual({
    content: text('{"sum":42}'),
    structuredContent: { sum: 42 },
  });
  expect((await call("add", { a: 2, at: "four" })).result?.structuredContent).toEqual({ sum: 46 });
  expect((await call("add", { a: "x" })).error?.message).toMatch(
    /^add: argument a: expected number/,
  );
  expect((await call("even", { n: 3 })).result).toEqual({
    content: text("even: n: must be even"),
    isError: true,
  });
  const { tools: listed } = await host.tools();
  expect(listed.find(({ name }) => name === "add")).toMatchObject({
    server: "t",
    inputSchema: { type: "object", required: ["a"], properties: { b: { default: 40 } } },
    outputSchema: { properties: { sum: { type: "number" } } },
  });
});

test("a result that breaks the promise of its schema is told, one that a plugin puts in its place, too", async () => {
  const plugin = toolOf(() => ({ n: 1 }), { output: { type: "object", required: ["m"] } });
  for (const hooks of [{}, { afterCall: () => ({ result: { k: 1 } }) }]) {
    await using host = await hostWith([hooked(hooks), plugin]);
    expect(await host.call({ tool: "it" })).toMatchObject({ outputMismatch: [{ path: "/m" }] });
  }
});

test("progress and log entries arrive", async () => {
  const plugin = toolOf((_, { progress, log }) => {
    progress(1, 2, "half");
    log("a word", "warning");
    return "done";
  });
  await using host = await hostWith([plugin]);
  const steps: unknown[] = [];
  await host.call({ tool: "it", onProgress: (step) => steps.push(step) });
  expect(steps).toEqual([{ progress: 1, total: 2, message: "half" }]);
  expect(host.logged).toContainEqual({
    level: "warn",
    server: "t",
    text: "a word",
    source: "notification",
  });
});

test("what a tool calls in turn is for whoever called it, and passes the same gate", async () => {
  const seen: string[] = [];
  const plugin: Plugin = {
    ...toolOf(async (_, { host }) => {
      const { status, error } = await host.call({ tool: "echo", arguments: { x: 1 } });
      return `${status} ${error?.message ?? ""}`;
    }),
    hooks: { beforeCall: ({ tool, actor }) => void seen.push(`${tool} ${actor}`) },
  };
  const policy = [{ do: "allow" as const, tools: "it" }];
  await using host = await hostWith([plugin], { policy });
  const said = async (actor: "user" | "model") => textOf(await host.call({ tool: "it", actor }));
  expect(await said("user")).toBe("completed ");
  expect(await said("model")).toMatch(
    /^denied echo of server "shop" needs approval .*calls of a model/,
  );
  expect(seen).toEqual(["it user", "echo user", "it model", "echo model"]);
});

test("a hundred tools that call one of the same plugin do not wait for each other", async () => {
  const plugin: Plugin = {
    name: "t",
    tools: {
      outer: {
        description: "",
        input: object,
        run: async (_, { host }) => (await host.call({ tool: "inner" })).status,
      },
      inner: { description: "", input: object, run: () => Bun.sleep(5) },
    },
  };
  await using host = await hostWith([plugin]);
  const all = await Promise.all(Array.from({ length: 100 }, () => host.call({ tool: "outer" })));
  expect(new Set(all.map(textOf))).toEqual(new Set(["completed"]));
});

test("a tool that calls itself for ever ends", async () => {
  const plugin = toolOf(async (_, { host }) => {
    const { error, result } = await host.call({ tool: "it" });
    return error?.message ?? result;
  });
  await using host = await hostWith([plugin]);
  expect(textOf(await host.call({ tool: "it" }))).toBe(
    "it: tools of plugins call each other more than 32 deep",
  );
});

test("a tool of a plugin cannot call what plugins leave out, nor for anybody else", async () => {
  const seen: unknown[] = [];
  const hooks: Hooks = {
    listTools: (all) => all.filter(({ tool }) => tool !== "buy"),
    beforeCall: ({ tool, actor, owner }) => void seen.push([tool, actor, owner]),
  };
  const plugin = toolOf(async (_, { host }) => {
    const other = { tool: "echo", actor: "gateway", owner: "somebody" };
    await host.call(other);
    return (await host.call({ tool: "buy", arguments: { n: 1 } })).error?.code;
  });
  await using host = await hostWith([hooked(hooks), plugin]);
  expect(textOf(await host.call({ tool: "it" }))).toBe("denied");
  expect(seen).toEqual([
    ["it", "user", "default"],
    ["echo", "user", "default"],
  ]);
});

test("its tools keep their names, and no server's tool takes one; those of a server alone keep theirs, too", async () => {
  const s = { tools: tools("it", "pid"), rename: { pid: "it" } };
  await using host = await hostOver(
    { s: { tools: tools("it", "pid") } },
    { plugins: [toolOf(() => "ours")] },
  );
  const { tools: listed } = await host.tools();
  expect(listed.map(({ name, server }) => `${server}: ${name}`)).toEqual([
    "t: it",
    expect.stringMatching(/^s: it_[0-9a-f]{8}$/),
    "s: pid",
  ]);
  expect((await host.call({ tool: "it" })).result?.content).toEqual(text("ours"));
  expect((await host.call({ tool: "t.it" })).result?.content).toEqual(text("ours"));
  expect((await host.call({ tool: "s.it" })).status).toBe("completed");
  await using renamed = await hostOver({ s }, { plugins: [toolOf(() => "ours")] });
  expect((await renamed.call({ tool: "it" })).result?.content).toEqual(text("ours"));
  // Nobody else can have that name: nothing was started for it.
  expect(renamed.servers().map(({ name, state }) => `${name} ${state}`)).toEqual([
    "t ready",
    "s idle",
  ]);
});

test("rules know a tool of a plugin by its names and by the plugin's", async () => {
  for (const rule of [{ tools: "it" }, { tools: "t.it" }, { servers: "t" }]) {
    await using host = await hostWith([toolOf(() => "")], { policy: [{ do: "deny", ...rule }] });
    expect((await host.call({ tool: "it" })).status).toBe("denied");
    expect((await host.call({ tool: "echo" })).status).toBe("completed");
  }
});
