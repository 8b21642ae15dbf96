/** Files that are no plugins, and plugins that end the program, never end themselves or take too long. */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { config, echo, folder, saying } from "./plugins-kit.ts";

describe.concurrent("files that are no plugins", () => {
  test.each([
    ["nothing.ts", undefined, /plugin nothing\.ts: there is no file .*nothing\.ts$/m],
    [
      "syntax.ts",
      "export default {\n  name: ,\n};",
      /syntax\.ts cannot be loaded: .* \(.*syntax\.ts:2:9\)$/m,
    ],
    [
      "lost.ts",
      'import x from "not-there"; export default x;',
      /lost\.ts cannot be loaded: Cannot find package 'not-there'.*\n {2}what it imports must be installed beside it/,
    ],
    [
      "lost2.ts",
      'import x from "./not-there.ts"; export default x;',
      /lost2\.ts cannot be loaded: Cannot find module '\.\/not-there\.ts'/,
    ],
    ["one.ts?two", saying("s", "'x'"), /one\.ts\?two: a plugin with \? in its path cannot be/],
    ["throws.ts", 'throw new Error("no luck");', /throws\.ts cannot be loaded: no luck$/m],
    [
      "none.ts",
      "export const name = 1;",
      /none\.ts: a plugin is an object with a name, and this is undefined$/m,
    ],
    ["nameless.ts", "export default {};", /nameless\.ts: the plugin has no name$/m],
    [
      "maker.ts",
      "export default () => { throw new Error('no'); };",
      /maker\.ts cannot be loaded: no$/m,
    ],
    [
      "wanting.ts",
      "export default ({ tools }) => ({ name: tools[0] });",
      /wanting\.ts cannot be loaded: .*\n {2}it takes options, and got none: "plugins": \[\["[^"]*wanting\.ts", \{ … \}\]\] of a config/,
    ],
    [
      "setup.ts",
      'export default { name: "s", setup() { throw new Error("no disk"); } };',
      /plugin "s": setup threw: no disk$/m,
    ],
    [
      "hook.ts",
      'export default { name: "s", hooks: { beforCall() {} } };',
      /hooks has no "beforCall"\n {2}did you mean beforeCall\?$/m,
    ],
  ] as [string, string | undefined, RegExp][])("%s", async (name, text, stderr) => {
    await using dir = await folder(text === undefined ? {} : { [name]: text });
    const line = ["call", "echo", "message=hi", "--plugin", name];
    const run = await mcphost(...line, "--", ...echo)
      .cwd(dir.path)
      .run();
    expectRun(run, { code: 2, stderr });
  });

  test.each([
    ["at its top", "await new Promise(() => {}); export default { name: 'n' };"],
    ["in what makes it", "export default () => new Promise(() => {});"],
  ])("one that waits for ever, %s", async (_, text) => {
    await using dir = await folder({
      "n.ts": text,
      "c.json": config(["./n.ts"], { limits: { hookTimeoutMs: 200 } }),
    });
    const run = await mcphost("tools", "-c", "c.json").cwd(dir.path).run();
    expectRun(run, { code: 2, stderr: "mcphost: plugin ./n.ts was not loaded within 200 ms\n" });
  });

  test("as JSON, with the place", async () => {
    await using dir = await folder({ "syntax.ts": "export default {\n  name: ,\n};" });
    const run = await mcphost("tools", "--plugin", "syntax.ts", "--json").cwd(dir.path).run();
    const { error } = JSON.parse(run.stderr);
    expect(error).toMatchObject({ code: "config", plugin: "syntax.ts", line: 2, column: 9 });
  });

  test("two of one name", async () => {
    await using dir = await folder({ "a.ts": saying("same", "1"), "b.ts": saying("same", "2") });
    const run = await mcphost("tools", "--plugin", "a.ts", "--plugin", "b.ts").cwd(dir.path).run();
    expectRun(run, {
      code: 2,
      stderr: /^mcphost: plugin b\.ts: its name "same" is that of another plugin \(a\.ts\)$/m,
    });
  });
});

test.each([
  [
    "at its top",
    "process.exit(0);",
    2,
    /^mcphost: plugin q\.ts cannot be loaded: process\.exit\(0\)/,
  ],
  [
    "in setup",
    'export default { name: "q", setup() { process.exit(); } };',
    2,
    /^mcphost: plugin "q": setup threw: process\.exit\(\)/,
  ],
  [
    "in a hook",
    'import { exit } from "node:process"; export default { name: "q", hooks: { beforeCall: () => exit(0) } };',
    5,
    /^mcphost: plugin "q": beforeCall .*threw: process\.exit\(0\)/,
  ],
  [
    "in a tool",
    'export default { name: "q", tools: { echo: { description: "", input: {}, run: () => process.exit(0) } } };',
    1,
    /process\.exit\(0\) was called/,
  ],
] as [string, string, number, RegExp][])(
  "a plugin that ends the process does not, %s",
  async (_, text, code, stderr) => {
    await using dir = await folder({ "q.ts": text });
    const server = text.includes("tools:") ? [] : ["--", ...echo];
    const run = await mcphost("call", "echo", "--plugin", "q.ts", "message=x", ...server)
      .cwd(dir.path)
      .run();
    expectRun(run, { code, stderr });
  },
);

test("one that would end the process later is named, and the call is done", async () => {
  const text =
    'setTimeout(() => { process.exit(3); }); export default { name: "q", hooks: { beforeCall: () => Bun.sleep(300) } };';
  await using dir = await folder({ "q.ts": text });
  const run = await mcphost("call", "echo", "--plugin", "q.ts", "message=x", "--", ...echo)
    .cwd(dir.path)
    .run();
  expectRun(run, { code: 0, stdout: "x\n", stderr: /process\.exit\(3\) was called[^]*q\.ts:1/ });
});

test("a plugin that takes longer than --max-time is named", async () => {
  await using dir = await folder({
    "slow.ts": 'export default { name: "slow", hooks: { beforeCall: () => Bun.sleep(9000) } };',
  });
  const line = ["call", "echo", "message=x", "--max-time", "1s", "--plugin", "slow.ts"];
  const run = await mcphost(...line, "--", ...echo)
    .cwd(dir.path)
    .run();
  expectRun(run, {
    code: 4,
    stderr:
      'mcphost: given up after 1 s (--max-time) while plugin "slow" was to answer beforeCall\n',
  });
});
