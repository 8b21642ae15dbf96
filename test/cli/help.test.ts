/** The program without a tool in sight: help, version, unknown words. A usage error starts no server. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { commandText } from "../../lib/cli/help.ts";
import { commands as table } from "../../lib/cli/table.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";

setDefaultTimeout(30_000);

const commands = Object.keys(table);

test.concurrent("alone in a pipe: the commands on stderr, exit 2", async () => {
  const run = await mcphost().run();
  expectRun(run, { code: 2, stderr: /^USAGE mcphost COMMAND$/m });
  for (const command of commands) expect(run.stderr).toMatch(new RegExp(`^ +${command} {4}`, "m"));
});

test.concurrent(
  "alone on a terminal: exit 0, in colour unless NO_COLOR or TERM=dumb says no",
  async () => {
    for (const [env, shown] of [
      [{}, /\[36mmcphost COMMAND/],
      [{ NO_COLOR: "yes" }, /^USAGE mcphost COMMAND$/m],
      [{ TERM: "dumb" }, /^USAGE mcphost COMMAND$/m],
    ] as const) {
      await using screen = await mcphost().env(env).terminal();
      await screen.shows(shown);
      expect(await screen.exited).toBe(0);
      expect(screen.text().includes("\x1b")).toBe(Object.keys(env).length === 0);
    }
  },
);

test.concurrent.each([["--help"], ["-h"], ["help"]])(
  "%s lists the commands on stdout",
  async (word) => {
    expectRun(await mcphost(word).run(), { stdout: /^USAGE mcphost COMMAND$/m });
  },
);

test.concurrent.each(commands)("%s --help: its flags and an example", async (command) => {
  const run = await mcphost(command, "--help").run();
  expectRun(run, {
    stdout: new RegExp(`^USAGE mcphost ${command} [^]*EXAMPLE\n\n  .*mcphost ${command}`, "m"),
  });
  expect(run.stdout).toBe(Bun.stripANSI(run.stdout));
  expect(run.stdout).not.toMatch(/ $/m);
  expect(run.stdout.split("\n")[1]).not.toMatch(/^ /);
  expect(Math.max(...run.stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
  expectRun(await mcphost("help", command).run(), { stdout: run.stdout });
});

test.each(commands)(
  "%s --help on a narrow terminal: no line but the example is longer",
  async (name) => {
    const command = (await table[name]!()).default;
    for (const width of [40, 60]) {
      const text = await commandText(command, { color: true, width });
      const [help = ""] = Bun.stripANSI(text).split("\nEXAMPLE\n");
      expect(help.split("\n").filter((line) => line.length > width)).toEqual([]);
      expect(help.replace(/\s+/g, " ")).toContain(
        `USAGE mcphost ${name} [OPTIONS] ${command.usage}`.trim(),
      );
    }
  },
);

test.concurrent.each([
  [["help", "cal"]],
  [["help", "cal", "echo"]],
  [["cal", "--help"]],
  [["cal", "-h", "tools"]],
  [["-h", "--json", "-s", "tools", "cal"]],
  [["cal", "--version"]],
])("%j: there is no such command, and the nearest is named", async (words) => {
  expectRun(await mcphost(...words).run(), {
    code: 2,
    stderr: /^(mcphost: unknown command "cal"\n {2}|\{.*)did you mean mcphost call\?/,
  });
});

test.concurrent.each([
  [["help", "--json"]],
  [["help", "help"]],
  [["--json", "--help"]],
  [["-s", "call", "--help"]],
])("%j lists the commands, too", async (words) => {
  expectRun(await mcphost(...words).run(), { stdout: /^USAGE mcphost COMMAND$/m });
});

test.concurrent("a flag's other names, its value, and that it may be repeated", async () => {
  const { stdout } = await mcphost("call", "--help").run();
  const words = stdout.replaceAll(/\s+/g, " ");
  expect(words).toContain("USAGE mcphost call [OPTIONS] TOOL [ARG…] [-- COMMAND…]");
  expect(words).toContain(
    "-c, --config=<FILE> a config file of any known format (may be repeated, also --mcp-config, also --mcp-servers-config)",
  );
});

test.concurrent("--version: ours, Bun's, the revisions", async () => {
  const stdout =
    /^mcphost \d+\.\d+\.\d+ \(Bun \d+\.\d+\.\d+; MCP 2026-07-28, 2025-11-25, .*2024-11-05/;
  expectRun(await mcphost("--version").run(), { stdout });
});

test.concurrent.each<[words: string[], stderr: RegExp]>([
  [["cal", "echo"], /unknown command "cal"\n.*did you mean mcphost call\?/],
  [["version"], /unknown command "version"\n.*did you mean mcphost --version\?/],
  [["list"], /unknown command "list"\n.*did you mean mcphost tools\?/],
  [["ls"], /unknown command "ls"\n.*did you mean mcphost tools\?/],
  [[], /no command was given before --\n.*mcphost tools -- ….*mcphost call TOOL -- …/],
  [["-q", "--json"], /no command was given before --/],
  [["echo", "message=hi"], /unknown command "echo"\n.*mcphost call echo/],
  [["--frobnicate"], /unknown flag --frobnicate/],
  [["call", "--jsn", "echo"], /unknown flag --jsn\n.*--json/],
  [["--jsn", "call", "echo"], /unknown flag --jsn\n.*--json/],
  [["call"], /name of a tool/],
  [["call", "echo", "--timeout"], /--timeout needs a value/],
  [["call", "echo", "--timeout=soon"], /--timeout soon/],
  [["call", "echo", "--max-time=soon"], /--max-time soon/],
  [["call", "echo", "--input", "x"], /--input/],
  [["call", "echo", "hi"], /"hi" is not an argument/],
  [["call", "echo", "--protocol=old"], /--protocol old/],
])("%p is a usage error that starts nothing", async (words, stderr) => {
  await using dir = await tempDir();
  const run = await mcphost(...words, "--", "touch", dir.file("started")).run();
  expectRun(run, { code: 2, stderr });
  expect(await Bun.file(dir.file("started")).exists()).toBe(false);
});

test.concurrent("with --json an error is one object on one line of stderr", async () => {
  const run = await mcphost("--json", "call", "--frobnicate").run();
  expectRun(run, { code: 2, stderr: /^\{"error":\{"code":"usage","message":.*\}\}\n$/ });
});

test.concurrent("no server at all", async () => {
  await using dir = await tempDir();
  expectRun(await mcphost("call", "echo").cwd(dir.path).run(), {
    code: 2,
    stderr: /no server is configured/,
  });
});

test.concurrent("no server at all, but an editor has some: its file is named", async () => {
  await using home = await tempDir();
  await using dir = await tempDir();
  const servers = JSON.stringify({ mcpServers: { a: { command: "a" } } });
  // One without servers, and one that cannot be read, are no help.
  await Bun.write(home.file(".claude.json"), '{"numStartups": 1, "mcpServers": {}}');
  await Bun.write(home.file(".cursor/mcp.json"), "{");
  await Bun.write(
    home.file("Library/Application Support/Claude/claude_desktop_config.json"),
    servers,
  );
  const run = () => mcphost("call", "echo").cwd(dir.path).home(home.path).run();
  expect((await run()).stderr).toEndWith(
    "; an editor has some: -c ~/Library/Application\\ Support/Claude/claude_desktop_config.json\n",
  );
  await Bun.write(dir.file(".vscode/mcp.json"), '{"servers": {"a": {"command": "a"}}}');
  expect((await run()).stderr).toEndWith("; an editor has some: -c .vscode/mcp.json\n");
  for (const command of ["doctor", "servers"]) {
    const { stderr } = await mcphost(command).cwd(dir.path).home(home.path).run();
    expect(stderr).toContain("-c .vscode/mcp.json");
  }
});

test.each([
  [["call", "get-sum", "a=1", "npx", "-y", "server"], "a server's command stands behind --; "],
  [["tools", "./server", "--verbose"], "a server's command stands behind --; "],
  [["call", "get-sum", "--zzz", "1"], "an argument of the tool is written zzz=VALUE; "],
  [["call", "get-sum", "-y"], ""],
])("a flag that nobody knows, perhaps of a server: %j", async (words, hint) => {
  const [command] = words;
  expectRun(await mcphost(...words).run(), {
    code: 2,
    stderr: new RegExp(`unknown flag .*\n  ${hint}mcphost ${command} --help lists the flags\n$`),
  });
});
