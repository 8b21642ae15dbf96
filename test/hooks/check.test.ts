/** What is no plugin is told before any of them runs, and setup and clean-up go forward and back, whatever fails. */
import { expect, test } from "bun:test";

import { isHostError } from "../../lib/base/errors.ts";
import type { Plugin } from "../../lib/hooks/plugin.ts";
import { createHost } from "../../lib/host/create.ts";
import { hostWith, never, object } from "./kit.ts";

async function refused(plugins: unknown[], more: object = {}): Promise<string> {
  try {
    const host = await createHost({ servers: {}, ...more, plugins: plugins as Plugin[] });
    await host[Symbol.asyncDispose]();
    return "opened";
  } catch (error) {
    if (!isHostError(error)) throw error;
    return `${error.code}: ${error.message}${error.hint === undefined ? "" : ` | ${error.hint}`}`;
  }
}

const run = () => "";

class Misspelt {
  beforecall() {}
}

class NoFunction {
  get beforeCall() {
    return 5;
  }
}

class WellSpelt {
  beforeCall() {}
}
const tool = { description: "d", input: object, run };

test.each([
  [[undefined], /^config: plugin plugins\[0\]: a plugin is an object with a name/],
  [
    [
      {
        name: "a",
        get hooks() {
          throw new Error("no hooks");
        },
      },
    ],
    /^config: plugin plugins\[0\]: what it has cannot be read: no hooks$/,
  ],
  [["./x.ts"], /a plugin is an object with a name, and this is "\.\/x\.ts"$/],
  [[{}], /plugins\[0\]: the plugin has no name$/],
  [[{ name: " " }], /has no name$/],
  [
    [{ name: "a" }, { name: "a" }],
    /plugins\[1\]: its name "a" is that of another plugin \(plugins\[0\]\)$/,
  ],
  [[{ name: "a", hook: {} }], /a plugin has no "hook" \| did you mean hooks/],
  [
    [{ name: "a", hooks: { beforecall: run } }],
    /hooks has no "beforecall" \| did you mean beforeCall/,
  ],
  [[{ name: "a", hooks: new Misspelt() }], /hooks has no "beforecall" \| did you mean beforeCall/],
  [[{ name: "a", hooks: new NoFunction() }], /the hook beforeCall is no function, but 5$/],
  [[{ name: "a", hooks: new WellSpelt() }], /^opened$/],
  [[{ name: "a", hooks: { beforeCall: true } }], /the hook beforeCall is no function, but true$/],
  [[{ name: "a", hooks: [] }], /hooks is no object, but \[\] \| .*hooks: \{ beforeCall/],
  [[{ name: "a", tools: [] }], /tools is no object, but \[\] \| .*tools: \{ NAME: \{ description/],
  [[{ name: "a", setup: {} }], /setup is no function, but \{\}$/],
  [[{ name: "a", tools: { "a b": tool } }], /a tool's name is 1 to 64 of .* not "a b"$/],
  [[{ name: "a", tools: { x: { ...tool, description: 1 } } }], /the tool x has no description$/],
  [[{ name: "a", tools: { x: { ...tool, run: 1 } } }], /the tool x has no function run$/],
  [[{ name: "a", tools: { x: { ...tool, input: undefined } } }], /the tool x has no input/],
  [
    [
      { name: "a", tools: { x: tool } },
      { name: "b", tools: { x: tool } },
    ],
    /plugins\[1\]: plugin "a" has a tool x, too$/,
  ],
  [
    [{ name: "a", tools: { x: { ...tool, input: { "~standard": { vendor: "zod" } } } } }],
    /plugin "a": tool x: input: it is no schema: schemas of zod are not known here \| .*valibot/,
  ],
  [
    [{ name: "a", tools: { x: { ...tool, output: 1n } } }],
    /plugin "a": tool x: output: it is no schema/,
  ],
] as [unknown[], RegExp][])("%p", async (plugins, expected) => {
  expect(await refused(plugins)).toMatch(expected);
});

test("a plugin with tools must not be called as a server is", async () => {
  const servers = { a: { command: "true" } };
  expect(await refused([{ name: "a", tools: { x: tool } }], { servers })).toMatch(
    /^config: plugin "a" has tools, and a server has its name \| give one of them another name$/,
  );
  expect(await refused([{ name: "a" }], { servers })).toBe("opened");
});

test("setup goes forward and clean-up back; one that fails is logged, and stops none of the others", async () => {
  const order: string[] = [];
  const plugin = (name: string, cleanup: () => unknown): Plugin => ({
    name,
    setup({ log }) {
      order.push(`+${name}`);
      log("here");
      return () => (order.push(`-${name}`), cleanup());
    },
  });
  const host = await hostWith([
    plugin("a", () => {}),
    plugin("b", () => {
      throw new Error("stuck");
    }),
    plugin("c", () => never),
    plugin("d", async () => {}),
  ]);
  expect(order).toEqual(["+a", "+b", "+c", "+d"]);
  expect(host.logged[0]).toEqual({ level: "info", text: 'plugin "a": here' });
  await host[Symbol.asyncDispose]();
  expect(order.slice(4)).toEqual(["-d", "-c", "-b", "-a"]);
  expect(host.warnings()).toEqual([
    'plugin "c": clean-up gave no answer within 500 ms',
    'plugin "b": clean-up threw: stuck',
  ]);
});

test.each([
  [() => Promise.reject(new Error("no disk")), /^config: plugin "b": setup threw: no disk$/],
  [
    () => {
      throw new Error("no disk");
    },
    /^config: plugin "b": setup threw: no disk$/,
  ],
  [() => never, /^config: plugin "b": setup gave no answer within 100 ms$/],
  [() => 5, /^config: plugin "b": setup returned neither nothing nor a function/],
] as [() => never, RegExp][])("a setup that fails: %p", async (setup, expected) => {
  let cleaned = 0;
  const first = { name: "a", setup: () => () => (cleaned += 1) };
  const limits = { hookTimeoutMs: 100 };
  expect(
    await refused([first, { name: "b", setup }, { name: "c", setup: run }], { limits }),
  ).toMatch(expected);
  expect(cleaned).toBe(1);
});
