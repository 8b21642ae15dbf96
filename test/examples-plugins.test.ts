/** Every plugin of examples/ is executed here. */
import { expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "./harness.ts";
import { textOf } from "./host/kit.ts";

const echo = [...bunAlone, join(root, "examples/echo.ts")];
const filesystem = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

/** Runs the command with this plugin over the server of echo.ts. */
const withEcho = (name: string, ...words: string[]) =>
  mcphost(...words, ...example(name), "--", ...echo).run();

const example = (name: string) => ["--plugin", join(root, "examples", name)];

test("tool.ts: a tool, and a server for others", async () => {
  expectRun(await mcphost("call", "roll", ...example("tool.ts")).run(), {
    stdout: /^[1-6] of 6\n$/,
  });
  expectRun(await mcphost("call", "roll", "sides=1", ...example("tool.ts")).run(), {
    stdout: "1 of 1\n",
  });
  expectRun(await mcphost("call", "roll", "sides=0", ...example("tool.ts")).run(), {
    code: 2,
    stderr: /sides/,
  });
  const gateway = [...bunAlone, join(root, "mcphost.ts"), "gateway", ...example("tool.ts")];
  expectRun(await mcphost("call", "roll", "sides=1", "--", ...gateway).run(), {
    stdout: "1 of 1\n",
  });
});

test("approve.ts: by the argument", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("notes"));
  const server = [...bunAlone, join(root, filesystem), dir.path];
  const write = (path: string) =>
    mcphost(
      "call",
      "write_file",
      `path=${path}`,
      "content=x",
      ...example("approve.ts"),
      "--cwd",
      dir.path,
      "--",
      ...server,
    ).run();
  expectRun(await write("notes/a.txt"), { stdout: /Successfully wrote/ });
  expect(await Bun.file(dir.file("notes/a.txt")).text()).toBe("x");
  for (const path of ["b.txt", "notes/../b.txt"])
    expectRun(await write(path), {
      code: 5,
      stderr: `mcphost: write_file of server "server" is denied by plugin "only-notes": ${path} is not below notes/\n`,
    });
  expect(await Bun.file(dir.file("b.txt")).exists()).toBe(false);
});

test("log-calls.ts: a line a call, of those that are denied, too", async () => {
  await using dir = await tempDir();
  const call = (...words: string[]) =>
    mcphost("call", ...words, ...example("log-calls.ts"), "--", ...echo)
      .cwd(dir.path)
      .run();
  await call("add", "a=1", "b=2");
  await call("echo", "message=hi", "--deny-tool", "echo");
  const lines = (await Bun.file(dir.file("calls.jsonl")).text())
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { tool: "add", arguments: { a: 1, b: 2 }, status: "completed", actor: "user" },
    { tool: "echo", status: "denied" },
  ]);
});

test("cache.ts: the same call is answered once, other calls are not", async () => {
  const { createHost } = await import("../lib/host/create.ts");
  const { ownModules } = await import("../lib/cli/plugin-modules.ts");
  ownModules();
  const { default: cache } = await import("../examples/cache.ts");
  let calls = 0;
  const run = ({ n }: { n?: unknown }) => `${String(n)}: ${(calls += 1)}`;
  const server = {
    name: "s",
    tools: { slow: { description: "", input: {}, run }, now: { description: "", input: {}, run } },
  };
  await using host = await createHost({
    servers: {},
    plugins: [await cache({ tools: ["slow"] }), server],
  });
  const said = async (tool: string, n: number) =>
    textOf(await host.call({ tool, arguments: { n } }));
  expect([await said("slow", 1), await said("slow", 1), await said("slow", 2)]).toEqual([
    "1: 1",
    "1: 1",
    "2: 2",
  ]);
  expect([await said("now", 1), await said("now", 1)]).toEqual(["1: 3", "1: 4"]);
});

test("redact.ts: keys leave no result", async () => {
  expectRun(
    await withEcho("redact.ts", "call", "echo", "message=it is sk-abcdefghijklmnop1234.", "--json"),
    { stdout: /it is \[redacted\]\./ },
  );
  expectRun(await withEcho("redact.ts", "call", "echo", "message=it is sk-short.", "--json"), {
    stdout: /it is sk-short\./,
  });
});

test("rename.ts: another name, and one tool less", async () => {
  const { stdout } = await withEcho("rename.ts", "tools");
  expect(stdout).toMatch(/^sum\(.*use it for every addition$/m);
  expect(stdout).not.toMatch(/^(add|fail)\(/m);
  expectRun(await withEcho("rename.ts", "call", "sum", "a=2", "b=40"), { stdout: "42\n" });
  expectRun(await withEcho("rename.ts", "call", "fail"), { code: 5, stderr: /not offered/ });
});
