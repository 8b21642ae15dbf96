/** Plugins on the command line: where they come from, what is wrong with their files, and that stdout stays clean. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "../harness.ts";

const echo = [...bunAlone, join(root, "examples/echo.ts")];

/** A folder with these files. */
async function folder(files: Record<string, string>): Promise<TempDir> {
  const dir = await tempDir();
  for (const [name, text] of Object.entries(files)) await Bun.write(dir.file(name), text);
  return dir;
}

const config = (plugins: unknown[], more: object = {}) => JSON.stringify({ plugins, ...more });

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

/** A plugin of one tool that says a word. */
const saying = (name: string, word: string) =>
  `export default { name: "${name}", tools: { ${name}: { description: "Says", input: {}, run: () => ${word} } } };`;

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

describe.concurrent("what they print", () => {
  const loud = `
    const say = (where) => {
      console.log("log", where);
      console.info({ where });
      process.stdout.write("raw " + where + "\\n");
    };
    say("loading");
    export default {
      name: "loud",
      setup() { say("setup"); return () => say("cleanup"); },
      hooks: {
        listTools: () => say("listTools"),
        beforeCall: () => say("beforeCall"),
        approve: () => (say("approve"), { approve: true }),
        afterCall: () => say("afterCall"),
        serverStart: () => say("serverStart"),
        message: () => say("message"),
        log: () => say("log"),
      },
      tools: { loud: { description: "", input: {}, run: () => (say("run"), "quiet") } },
    };`;

  test("stands on stderr: stdout holds the result alone", async () => {
    await using dir = await folder({ "loud.ts": loud });
    const line = ["call", "loud", "--ask-tool", "*", "--plugin", "loud.ts"];
    const run = await mcphost(...line)
      .cwd(dir.path)
      .run();
    expectRun(run, { stdout: "quiet\n", stderr: /./ });
    for (const where of [
      "loading",
      "setup",
      "listTools",
      "beforeCall",
      "approve",
      "afterCall",
      "run",
      "message",
      "cleanup",
    ])
      expect(run.stderr).toContain(`log ${where}\n{\n  where: "${where}",\n}\nraw ${where}\n`);
    const other = await mcphost("call", "echo", "message=hi", "--plugin", "loud.ts", "--", ...echo)
      .cwd(dir.path)
      .run();
    expectRun(other, { stdout: "hi\n", stderr: /raw serverStart/ });
  });

  test("of the gateway stdout holds the protocol alone, and the plugin is a server in one file", async () => {
    await using dir = await folder({ "loud.ts": loud });
    const gateway = [
      ...bunAlone,
      join(root, "mcphost.ts"),
      "gateway",
      "--plugin",
      dir.file("loud.ts"),
    ];
    expectRun(await mcphost("call", "loud", "--", ...gateway).run(), { stdout: "quiet\n" });
    const run = await mcphost("gateway", "--plugin", "loud.ts")
      .cwd(dir.path)
      .stdin(
        message(1, "initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "t", version: "1" },
        }) + message(2, "tools/call", { name: "loud", arguments: {} }),
      )
      .run();
    const lines = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find(({ id }) => id === 2)).toMatchObject({
      result: { content: [{ text: "quiet" }] },
    });
    expect(run.stderr).toContain("raw run");
  });
});

test("a gateway that was started by hand says what it waits for", async () => {
  await using dir = await folder({ "p.ts": saying("hello", '"world"') });
  const gateway = mcphost("gateway", "--plugin", "p.ts").cwd(dir.path);
  await using screen = await gateway.terminal();
  await screen.shows(/waits for MCP messages on stdin.*Ctrl-D/);
  screen.type("\u0004");
  expect(await screen.exited).toBe(0);
});

test("what servers ask is declared and answered by a plugin, in either era", async () => {
  await using dir = await folder({
    "answers.ts": `export default { name: "a", hooks: {
      elicit: ({ server, params }) => ({ action: "accept", content: { name: server + " " + params.message } }),
      sample: () => undefined,
      roots: (server) => [{ uri: "file:///" + server }],
    } };`,
  });
  const plugged = ["--plugin", dir.file("answers.ts"), "--"];
  const legacy = [...bunAlone, join(root, "test/fixtures/cli/forms.ts")];
  const declared = await mcphost("call", "declared", ...plugged, ...legacy).run();
  expect(JSON.parse(declared.stdout)).toMatchObject({ elicitation: {}, sampling: {}, roots: {} });
  const schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const asking = `--args=${JSON.stringify({ message: "Who?", schema })}`;
  const answered = await mcphost("call", "form", asking, ...plugged, ...legacy).run();
  expect(JSON.parse(answered.stdout)).toMatchObject({
    action: "accept",
    content: { name: "server Who?" },
  });
  const modern = [...bunAlone, join(root, "test/fixtures/remote/stdio.ts"), "modern"];
  const run = await mcphost("call", "ask", "--json", ...plugged, ...modern).run();
  expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/server /) });
});

describe.each([
  ["a plugin of it says that none may start", '{ "plugins": ["./none.ts"] }', 5],
  ["it is wrong", '{ "policy": [', 2],
])("with a config of one's own, where %s", (_name, own, code) => {
  const none = `export default {
    name: "none",
    hooks: { serverStart: () => ({ deny: "no servers here" }) },
  };`;

  test.each([[], ["--allow-all"]])("no server was started: %j", async (...flags) => {
    await using home = await tempDir();
    await Bun.write(home.file("config/mcphost/config.json"), own);
    await Bun.write(home.file("config/mcphost/none.ts"), none);
    const server = ["sh", "-c", `touch ${home.file("started")}; exec "$@"`, "sh", ...echo];
    const run = mcphost("call", "echo", "message=hi", ...flags, "--", ...server).home(home.path);
    expectRun(await run.run(), { code, stderr: /./ });
    expect(await Bun.file(home.file("started")).exists()).toBe(false);
  });

  test("nothing was connected to", async () => {
    await using home = await tempDir();
    await Bun.write(home.file("config/mcphost/config.json"), own);
    await Bun.write(home.file("config/mcphost/none.ts"), none);
    let connections = 0;
    const socket = { open: () => void (connections += 1), data() {} };
    using server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
    const url = `http://127.0.0.1:${server.port}/mcp`;
    const run = mcphost("call", "echo", "message=hi", "-s", url).home(home.path);
    expectRun(await run.run(), { code, stderr: /./ });
    expect(connections).toBe(0);
  });
});
