/** Calls where servers were found and are not trusted, and what Ctrl-C at a question ends. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";

const [command, ...args] = [...bunAlone, join(root, "test/fixtures/servers/echo.ts")];
const echo = { command, args };

/** The same, and it asks for an input. */
const asks = (id: string) => ({ ...echo, env: { KEY: `\${input:${id}}` } });

/** A folder, and home, with a config that was found there. */
async function found(config: object): Promise<TempDir> {
  const dir = await tempDir();
  await Bun.write(dir.file(".mcp.json"), JSON.stringify(config));
  return dir;
}

const inDir = (dir: TempDir, ...words: string[]) =>
  mcphost(...words)
    .home(dir.path)
    .cwd(dir.path);

test("a bare name that only servers without trust could know is denied, and they are named", async () => {
  await using dir = await found({ mcpServers: { one: echo, two: echo } });
  const denied = {
    code: 5,
    stderr:
      /called "echo"; server "one" of .*is not trusted; nor may two start\n  mcphost trust .*--trust /,
  };
  expectRun(await inDir(dir, "call", "echo", "message=hi").run(), denied);
  expectRun(await inDir(dir, "call", "--no-validate", "echo", "message=hi").run(), denied);
  expectRun(await inDir(dir, "call", "one.echo", "message=hi").run(), {
    code: 5,
    stderr: /"one" of .*is not trusted\n  mcphost trust /,
  });
});

test("so it is where another server is trusted and has no such tool; what that has is called", async () => {
  await using dir = await found({ mcpServers: { one: echo } });
  await inDir(dir, "trust", "--yes").run();
  await Bun.write(dir.file(".mcp.json"), JSON.stringify({ mcpServers: { one: echo, two: echo } }));
  expectRun(await inDir(dir, "call", "other").run(), {
    code: 5,
    stderr: /called "other"; server "two" of .*is not trusted\n  mcphost trust .*\n$/,
  });
  expectRun(await inDir(dir, "call", "ecoh", "message=hi").run(), {
    code: 5,
    stderr: /"two" .*\n  mcphost trust .*; did you mean one_echo\?\n$/,
  });
  expectRun(await inDir(dir, "call", "echo", "message=hi").run(), { stdout: "hi\n" });
});

describe.concurrent.each([
  [["tools"]],
  [["tools", "--json"]],
  [["servers", "--check"]],
  [["servers"]],
])("%j over several servers", (words) => {
  const over = async (own: object) => {
    await using dir = await found({ mcpServers: { evil: echo } });
    const config = { mcpServers: { good: echo, ...own } };
    await Bun.write(dir.file("config/mcphost/config.json"), JSON.stringify(config));
    return await inDir(dir, ...words).run();
  };

  test("leaves out the one without trust, names it, and that is no failure", async () => {
    expectRun(await over({}), { stdout: /good/, stderr: /server \W*evil.*is not trusted/ });
  });

  test("a wrong entry beside it is one, and so is a server that is not there", async () => {
    const expected = { stdout: /good/, stderr: /evil.*is not trusted/ };
    expectRun(await over({ bad: { command: 7 } }), { ...expected, code: 2 });
    const isLooked = words.join() !== "servers";
    const gone = await over({ bad: { command: "/no/such/server" } });
    expectRun(gone, { ...expected, code: isLooked ? 3 : 0 });
  });
});

test("No to each question is denied, too, and each is asked once", async () => {
  await using dir = await found({ mcpServers: { one: echo, two: echo } });
  await using screen = await inDir(dir, "call", "echo", "message=hi").terminal();
  await screen.shows(/server "one"[^]*Trust it\?/);
  screen.type("n");
  await screen.shows(/server "two"[^]*Trust it\?/);
  screen.type("n");
  expect(await screen.exited).toBe(5);
  expect(screen.text()).toMatch(/nor may two start/);
});

test.each<[string[]]>([
  [["call", "echo", "message=hi"]],
  [["tools"]],
  [["servers", "--check"]],
  [["doctor"]],
  [["trust"]],
])("Ctrl-C at a question of trust ends it all, nobody is asked again: %j", async (words) => {
  await using dir = await found({ mcpServers: { one: echo, two: echo, three: echo } });
  await using screen = await inDir(dir, ...words).terminal();
  await screen.shows(/server "one"[^]*Trust it\?/);
  screen.type("\u0003");
  expect(await screen.exited).toBe(130);
  expect(screen.text()).toContain("mcphost: interrupted");
  expect(screen.text()).not.toContain('server "two"');
});

test("Ctrl-C at a question for an input does the same", async () => {
  await using dir = await tempDir();
  const inputs = ["first", "second"].map((id) => {
    return { id, type: "promptString", description: `The ${id}`, password: id === "first" };
  });
  await Bun.write(
    dir.file("c.json"),
    JSON.stringify({ servers: { one: asks("first"), two: asks("second") }, inputs }),
  );
  await using screen = await inDir(dir, "call", "echo", "message=hi", "-c", "c.json").terminal();
  await screen.shows(/The first/);
  screen.type("\u0003");
  expect(await screen.exited).toBe(130);
  expect(screen.text()).not.toContain("The second");
});
