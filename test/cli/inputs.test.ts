/** Inputs of a config: how they are asked for and checked; and what of configured values is hidden in what we say. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

/** A server that says what it was started with, and ends. */
const says = (...words: string[]) => ({
  command: "sh",
  args: ["-c", 'echo "got: $*" >&2; exit 1', "x", ...words],
});

const configOf = (server: object, inputs: object[] = []) =>
  JSON.stringify({ mcpServers: { s: server }, inputs });

const tools = (config: string, ...words: string[]) =>
  mcphost("tools", ...words, "--config-json", config);

describe.concurrent("what is hidden", () => {
  test("a password is, another input is not", async () => {
    const config = configOf(says("${input:dir}", "${input:pin}"), [
      { id: "dir", type: "promptString" },
      { id: "pin", type: "promptString", password: true },
    ]);
    const run = await tools(
      config,
      "--input",
      "dir=holiday2024x",
      "--input",
      "pin=hunter-four",
    ).run();
    expectRun(run, { code: 3, stderr: /got: holiday2024x \*\*\*\n/ });
  });

  test("a variable in args is where its name or its look says so", async () => {
    const config = configOf(says("${env:PROJECT}", "${env:SUB}", "${env:API_TOKEN}", "${ODD}"));
    const run = await tools(config)
      .env({ PROJECT: "holiday-photos", SUB: "src/main", API_TOKEN: "plainword", ODD: "x8fkq2zz" })
      .run();
    expectRun(run, { code: 3, stderr: /got: holiday-photos src\/main \*\*\* \*\*\*\n/ });
  });

  test("a variable in env is as before, but what was typed as an argument of the tool is not", async () => {
    const config = configOf({
      command: bunAlone[0],
      args: [...bunAlone.slice(1), `${root}/test/fixtures/cli/many.ts`],
      env: { FIXTURE_SECRET: "${FOLDER}" },
    });
    const call = (...words: string[]) =>
      mcphost("call", "refuse", ...words, "--config-json", config)
        .env({ FOLDER: "holidays" })
        .run();
    expectRun(await call(), { code: 1, stderr: /refused with \*\*\*\n/ });
    expectRun(await call("path=/home/holidays"), { code: 1, stderr: /refused with holidays\n/ });
    expectRun(await call("--args", '{"path":"holidays"}'), {
      code: 1,
      stderr: /refused with holidays\n/,
    });
  });
});

describe.concurrent("inputs", () => {
  const inputs = [
    { id: "level", type: "pickString", options: ["low", { label: "All of it", value: "high" }] },
    { id: "token", type: "promptString", default: "preset" },
  ];

  test("a value that is none of the options is refused, naming them", async () => {
    const config = configOf(says("${input:level}"), inputs);
    expectRun(await tools(config, "--input", "level=mid").run(), {
      code: 2,
      stderr: /the input level has a value that is none of its options\n.*low, high\n/,
    });
    expectRun(await tools(config, "--input", "level=high").run(), { code: 3, stderr: /got: high/ });
  });

  test("an id that nothing asks for is refused, naming the nearest", async () => {
    const config = configOf(says("${input:token}", "${input:plain}"), inputs);
    expectRun(await tools(config, "--input", "tokk=1").run(), {
      code: 2,
      stderr: /--input tokk: .*\n {2}the inputs are level, token, plain\n$/,
    });
    expectRun(await tools(config, "--input", "tokn=1").run(), {
      code: 2,
      stderr: /--input tokn: no config here has an input of that name\n {2}did you mean token\?\n$/,
    });
    // One that is used but not described is known, too.
    const run = await tools(config, "--input", "plain=xyz").run();
    expectRun(run, { code: 3, stderr: /got: preset xyz/ });
    expectRun(await mcphost("tools", "--input", "a=1", "--", "cat").run(), {
      code: 2,
      stderr: /there are no inputs/,
    });
  });

  test("a question shows the default, and Enter takes it", async () => {
    const config = configOf(says("${input:token}"), inputs);
    await using screen = await tools(config).terminal();
    await screen.shows(/A value for token \(default: preset\)/);
    screen.type("\r");
    await screen.shows(/got: preset/);
    expect(await screen.exited).toBe(3);
  });

  test("the options of a pickString are offered", async () => {
    const config = configOf(says("${input:level}"), inputs);
    await using screen = await tools(config).terminal();
    await screen.shows(/low[^]*All of it \(high\)/);
    screen.type("\u001b[B\r");
    await screen.shows(/got: high/);
    expect(await screen.exited).toBe(3);
  });
});

describe.concurrent("a key of the file that nobody knows", () => {
  test.each([
    ["polcy", "policy"],
    ["limit", "limits"],
    ["mcpServer", "mcpServers"],
    ["plugin", "plugins"],
    ["profile", "profiles"],
  ])("%s is named with the nearest, beside servers that work", async (key, meant) => {
    await using dir = await tempDir();
    const server = { command: "cat" };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: { server }, [key]: [] }));
    const run = await mcphost("servers", "-c", "c.json").cwd(dir.path).run();
    expect(run.stderr).toBe(
      `mcphost: warning: c.json: nobody knows the key "${key}"; did you mean ${meant}?\n`,
    );
  });

  test("what other programs keep in the same file is theirs", async () => {
    await using dir = await tempDir();
    const quiet = async (name: string, text: string) => {
      await Bun.write(dir.file(name), text);
      expect((await mcphost("servers", "-c", name).cwd(dir.path).run()).stderr).toBe("");
    };
    const others = { mode: "x", theme: "dark", permission: {}, projectsSeen: 3 };
    const mcpServers = { server: { command: "cat" } };
    await quiet("c.json", JSON.stringify({ mcpServers, ...others }));
    const mcp = { server: { type: "local", command: ["cat"] } };
    await quiet("opencode.json", JSON.stringify({ mcp, ...others, plugin: ["x"] }));
    await quiet(
      "codex.toml",
      'profile = "x"\n[mcp_servers.server]\ncommand = "cat"\n[profiles.x]\nmodel = "y"\n',
    );
  });
});
