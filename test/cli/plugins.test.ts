/** Where plugins of the command line come from: flags, packages, configs, and what of them has to be trusted. */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { config, echo, folder, saying } from "./plugins-kit.ts";

describe.concurrent("where they come from", () => {
  test("a flag: its tools need no server", async () => {
    await using dir = await folder({ "p.ts": saying("hello", '"world"') });
    const at = (...words: string[]) =>
      mcphost(...words, "--plugin", "p.ts")
        .cwd(dir.path)
        .run();
    expectRun(await at("call", "hello"), { stdout: "world\n" });
    expectRun(await at("tools"), { stdout: "hello()  # Says\n" });
    expectRun(await at("call", "hello", "--deny-tool", "hello"), {
      code: 5,
      stderr: /--deny-tool "hello"/,
    });
  });

  test("a config: a file beside it, a package that is installed there, options", async () => {
    await using dir = await folder({
      "mcp/c.json": config(["./p.ts", "pack", ["./maker.ts", { word: "given" }]]),
      "mcp/p.ts": saying("one", '"one"'),
      "mcp/node_modules/pack/package.json": '{ "name": "pack", "exports": "./index.ts" }',
      "mcp/node_modules/pack/index.ts": saying("two", '"two"'),
      "mcp/maker.ts":
        'export default async ({ word }) => ({ name: "three", tools: { three: { description: "", input: {}, run: () => word } } });',
    });
    const at = (tool: string) => mcphost("call", tool, "-c", "mcp/c.json").cwd(dir.path).run();
    expectRun(await at("one"), { stdout: "one\n" });
    expectRun(await at("two"), { stdout: "two\n" });
    expectRun(await at("three"), { stdout: "given\n" });
  });

  test("a package that is not installed, options that nobody takes, entries that are none", async () => {
    await using dir = await folder({ "p.ts": saying("one", "1") });
    const at = async (plugins: unknown[]) => {
      const run = await mcphost("tools", "-c", "c.json")
        .cwd((await Bun.write(dir.file("c.json"), config(plugins)), dir.path))
        .run();
      return [run.code, run.stderr] as const;
    };
    expect(await at(["pack"])).toEqual([
      2,
      expect.stringMatching(
        /plugin pack: there is no such package in .*\n {2}install it there, since nothing is fetched; a file is written \.\/pack\n$/,
      ),
    ]);
    expect(await at([["./p.ts", { a: 1 }]])).toEqual([
      2,
      expect.stringMatching(/plugin \.\/p\.ts: it takes no options, and the config gives it some/),
    ]);
    for (const wrong of [5, "", { name: "x" }])
      expect(await at([wrong])).toEqual([
        2,
        expect.stringMatching(/^mcphost: c\.json: plugins\[0\].* expected a file or a package/),
      ]);
  });

  test("a config as it counts shows them, and hides their options", async () => {
    await using dir = await folder({ "c.json": config(["./p.ts", ["pack", { token: "s3cret" }]]) });
    const { stdout } = await mcphost("config", "-c", "c.json").cwd(dir.path).run();
    expect(JSON.parse(stdout)).toMatchObject({
      plugins: [{ plugin: "./p.ts" }, { plugin: "pack", options: "***" }],
    });
    expect(stdout).not.toContain("s3cret");
  });

  test("the user's own config, whatever servers are named", async () => {
    await using dir = await folder({
      "config/mcphost/config.json": config(["./no.ts"]),
      "config/mcphost/no.ts":
        'export default { name: "no", hooks: { beforeCall: () => ({ deny: "never" }) } };',
    });
    const line = ["call", "echo", "message=hi", "--", ...echo];
    expectRun(
      await mcphost(...line)
        .home(dir.path)
        .run(),
      {
        code: 5,
        stderr: 'mcphost: echo of server "server" is denied by plugin "no": never\n',
      },
    );
  });

  test.each(["ln -s /dev/zero", "mkfifo"])(
    "a found config may name what has no end (%s): it is not read before it is trusted, nor then",
    async (making) => {
      await using dir = await folder({ "p/mcphost.json": config(["./p.ts"]) });
      Bun.spawnSync([...making.split(" "), dir.file("p/p.ts")]);
      const at = (...words: string[]) =>
        mcphost(...words)
          .cwd(dir.file("p"))
          .home(dir.path)
          .run();
      expectRun(await at("call", "hello"), { code: 5, stderr: /is not trusted/ });
      expectRun(await at("trust", "--yes"), { stdout: "trusted plugin ./p.ts\n", stderr: /p\.ts/ });
      expectRun(await at("call", "hello"), { code: 2, stderr: /^mcphost: plugin \.\/p\.ts/ });
    },
  );

  test("what its options hold and may be secret is in no error that it throws", async () => {
    const options = { auth: { password: "hunter-2-hunter" }, list: ["plain", "aB3$xY9!kQ"] };
    await using dir = await folder({
      "mcphost.json": config([["./p.ts", options]]),
      "p.ts": `export default (options) => ({ name: "p", tools: { t: { description: "d", input: {}, run() {
        throw new Error(JSON.stringify(options)); } } } });`,
    });
    const run = await mcphost("call", "t", "-c", dir.file("mcphost.json")).run();
    expect(run.stdout + run.stderr).toInclude("plain");
    expect(run.stdout + run.stderr).not.toMatch(/hunter|xY9/);
  });

  test("a path that is longer than any", async () => {
    await using dir = await folder({ "mcphost.json": config([`./${"p/".repeat(3000)}p.ts`]) });
    expectRun(await mcphost("call", "hello", "-c", dir.file("mcphost.json")).run(), {
      code: 2,
      stderr: /^mcphost: the path of a plugin is too long: \.\/p\/p\/[^\n]*\n$/,
    });
  });

  test("a found config: only once trusted, by the bytes of the file", async () => {
    await using dir = await folder({
      "p/mcphost.json": config(["./p.ts"]),
      "p/p.ts": `${saying("hello", '"world"')} require("node:fs").writeFileSync("loaded", "");`,
    });
    const at = (...words: string[]) =>
      mcphost(...words)
        .cwd(dir.file("p"))
        .home(dir.path)
        .run();
    expectRun(await at("call", "hello"), {
      code: 5,
      stderr:
        /^mcphost: plugin \.\/p\.ts of mcphost\.json was found, not named, and is not trusted\n {2}mcphost trust shows it/,
    });
    expectRun(await at("trust"), {
      code: 5,
      stderr: /plugin "\.\/p\.ts"\n.*in .*mcphost\.json\n.*runs .*p\/p\.ts in this very process/,
    });
    expect(await Bun.file(dir.file("p/loaded")).exists()).toBe(false);
    expectRun(await at("call", "hello", "--trust"), { stdout: "world\n" });
    expectRun(await at("trust", "--yes"), { stdout: "trusted plugin ./p.ts\n", stderr: /p\.ts/ });
    expectRun(await at("call", "hello"), { stdout: "world\n" });
    await Bun.write(dir.file("p/p.ts"), saying("hello", '"moon"'));
    expectRun(await at("call", "hello"), { code: 5, stderr: /is not trusted/ });
    expectRun(await at("trust", "--list"), {
      stdout: /^waiting plugin \.\/p\.ts in .*, changed since it was trusted/,
    });
  });
});
