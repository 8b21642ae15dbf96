/** Where plugins are shown: by the doctor, among the servers, and in a call to copy. */
import { describe, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { config, echo, folder, saying } from "./plugins-kit.ts";

describe.concurrent("the doctor", () => {
  test("looks at each plugin, too", async () => {
    await using dir = await folder({
      "good.ts": saying("good", '"x"'),
      "quiet.ts": 'export default { name: "quiet", hooks: { beforeCall() {} } };',
      "broken.ts": "export default {};",
      "setup.ts": 'export default { name: "s", setup() { throw new Error("no disk"); } };',
      "schema.ts":
        'export default { name: "x", tools: { a: { description: "", input: () => 5, run() {} } } };',
    });
    const at = (...plugins: string[]) =>
      mcphost("doctor", ...plugins.flatMap((name) => ["--plugin", name]))
        .cwd(dir.path)
        .run();
    expectRun(await at("good.ts", "quiet.ts"), {
      stdout: "plugin good.ts: ok, 1 tool\nplugin quiet.ts: ok\n",
    });
    for (const [name, text] of [
      ["broken.ts", "the plugin has no name"],
      ["setup.ts", "setup threw: no disk"],
      ["schema.ts", "input"],
    ] as const)
      expectRun(await at(name, "quiet.ts"), {
        code: 2,
        stdout: new RegExp(
          `^plugin ${name}: cannot be used as it is configured\n  error: .*${text}.*[^]*plugin quiet.ts: ok\n$`,
        ),
      });
    await Bun.write(dir.file("twin.ts"), saying("good", '"y"'));
    expectRun(await at("good.ts", "twin.ts"), {
      code: 2,
      stdout:
        /\nplugins: cannot be .*\n  error: plugin twin\.ts: its name "good" is that of another/,
    });
  });

  test("beside servers, and not where servers are named", async () => {
    await using dir = await folder({ "broken.ts": "export default {};" });
    const both = await mcphost("doctor", "--plugin", "broken.ts", "--", ...echo)
      .cwd(dir.path)
      .run();
    expectRun(both, { code: 2, stdout: /^server: ok[^]*\nplugin broken\.ts: cannot/ });
    const one = await mcphost("doctor", "server", "--plugin", "broken.ts", "--", ...echo)
      .cwd(dir.path)
      .run();
    expectRun(one, { code: 0, stdout: /^server: ok.*\n$/ });
  });
});

test("the list of servers has them, too", async () => {
  await using dir = await folder({
    "p.ts": saying("hello", '"world"'),
    "c.json": config(["./p.ts"]),
  });
  const at = (...words: string[]) =>
    mcphost("servers", "-c", "c.json", ...words, "--", ...echo)
      .cwd(dir.path)
      .run();
  expectRun(await at(), {
    stdout: /^NAME .*\nserver .*\n\.\/p\.ts +plugin +idle +- +- +.*c\.json\n$/,
  });
  expectRun(await at("--check"), { stdout: /\n\.\/p\.ts +plugin +ready +- +- +.*c\.json\n$/ });
});

test("a call to copy names the plugin that brings the tool", async () => {
  await using dir = await folder({ "p.ts": saying("hello", '"world"') });
  const run = await mcphost("tools", "hello", "--plugin", "p.ts").cwd(dir.path).run();
  expectRun(run, { stdout: /\n {2}mcphost call hello --plugin p\.ts\n$/ });
});
