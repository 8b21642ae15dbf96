/** Tools that plugins bring: their arguments, their results, and what fails. */
import { expect, test } from "bun:test";

import * as v from "valibot";

import { HostError } from "../../lib/base/errors.ts";
import { definePlugin } from "../../lib/hooks/plugin.ts";
import { hooked, hostWith, never } from "./kit.ts";
import { text, toolOf } from "./tools-kit.ts";

async function resultOf(run: () => unknown, more: object = {}) {
  await using host = await hostWith([toolOf(run, more)]);
  const { result, error } = await host.call({ tool: "it" });
  return result ?? error;
}

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
