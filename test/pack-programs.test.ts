/** The compiled binary and the bundle by its own first line; also in hostile folders. */
import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

import { build, compile } from "./build.ts";
import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "./harness.ts";
import { call, pathWithBun, plugged } from "./pack-kit.ts";

test("the compiled binary", async () => {
  await using dir = await tempDir();
  const binary = dir.file("mcphost");
  await compile(binary);
  expectRun(
    await mcphost(...call)
      .program([binary])
      .cwd(dir.path)
      .run(),
    { stdout: "hello\n" },
  );
  await plugged(dir, [binary]);
  await hostile(dir, [binary]);
}, 60_000);

test("the bundle by its own first line; what an earlier build left is not shipped with it", async () => {
  await using dir = await tempDir();
  const former = ["former.js", "former.js.jsc", "lib/former.js"];
  for (const name of former) await Bun.write(join(dir.file("dist"), name), "");
  await build(dir.file("dist"));
  for (const name of former)
    expect(await Bun.file(join(dir.file("dist"), name)).exists()).toBe(false);
  await works(dir, [dir.file("dist/mcphost.js")]);
  await plugged(dir, [dir.file("dist/mcphost.js")]);
  await hostile(dir, [dir.file("dist/mcphost.js")]);
}, 60_000);

// --- internal ---

/** A call, and a check that needs the worker: it is found beside the program. */
async function works(dir: TempDir, program: string[]): Promise<void> {
  const env = { PATH: await pathWithBun(dir) };
  const run = (...args: string[]) =>
    mcphost(...args)
      .program(program)
      .cwd(dir.path)
      .env(env)
      .run();
  expectRun(await run(...call), { stdout: "hello\n" });
  const faulty = [...bunAlone, join(root, "test/fixtures/servers/faulty.ts"), "slow-pattern"];
  const misfit = await run("call", "fault", "a=b", "--", ...faulty);
  expectRun(misfit, { code: 2, stderr: /expected a text that matches/ });
}

/** Everything in this folder tries to run code or to steer us: none of it does. */
async function hostile(dir: TempDir, program: string[]): Promise<void> {
  const folder = dir.file("hostile");
  await mkdir(folder);
  const file = (name: string, text: string) => Bun.write(join(folder, name), text);
  const touch = (name: string) => ({ command: "touch", args: [join(folder, name)] });
  await file("bunfig.toml", 'preload = ["./evil.ts"]\n[run]\npreload = ["./evil.ts"]\n');
  await file("evil.ts", `await Bun.write(${JSON.stringify(join(folder, "preloaded"))}, "");`);
  await file(".env", "MCPHOST_CONFIG=evil.json\nFROM_DOTENV=1\n");
  await file("evil.json", JSON.stringify({ mcpServers: { evil: touch("by-dotenv") } }));
  await file(".mcp.json", JSON.stringify({ mcpServers: { evil: touch("by-mcp-json") } }));
  const before = (await readdir(folder)).toSorted();

  const env = { PATH: await pathWithBun(dir) };
  const run = await mcphost(...call)
    .program(program)
    .cwd(folder)
    .env(env)
    .run();
  expectRun(run, { stdout: "hello\n" });
  const tools = await mcphost("tools").program(program).cwd(folder).env(env).run();
  expect(tools).toMatchObject({ stdout: "", stderr: expect.stringMatching(/evil.*trust/s) });
  expect((await readdir(folder)).toSorted()).toEqual(before);
}
