/** What is shipped: the packed tarball, installed and run without network, and the compiled binary; also in hostile folders. */
import { expect, test } from "bun:test";
import { cp, mkdir, readdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { build, compile } from "./build.ts";
import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "./harness.ts";

const server = [...bunAlone, join(root, "test/fixtures/servers/echo.ts")];
const call = ["call", "echo", "message=hello", "--", ...server];

test("the packed tarball, installed into an empty folder, runs by bunx, as a bin and as a module", async () => {
  await using dir = await tempDir();
  const tarball = await packed(dir);
  const folder = dir.file("empty");
  await mkdir(folder);
  await Bun.write(join(folder, "package.json"), '{ "name": "empty", "type": "module" }');
  await bun(dir, folder, ["add", tarball]);
  expect(await readdir(join(folder, "node_modules"))).toEqual([".bin", "mcphost"]);

  const files = await readdir(join(folder, "node_modules/mcphost"));
  // Bun marks what it installed from a file.
  const ours = files.filter((name) => name !== "README.md" && name !== ".bun-tag");
  expect(ours.toSorted()).toEqual(["LICENSE", "dist", "package.json"]);

  const env = { PATH: await pathWithBun(dir) };
  const bunx = [process.execPath, "x", "--no-install", "mcphost"];
  expectRun(
    await mcphost(...call)
      .program(bunx)
      .cwd(folder)
      .env(env)
      .run(),
    { stdout: "hello\n" },
  );
  const bin = [join(folder, "node_modules/.bin/mcphost")];
  expectRun(
    await mcphost(...call)
      .program(bin)
      .cwd(folder)
      .env(env)
      .run(),
    { stdout: "hello\n" },
  );

  await plugged(dir, bin);

  const script = join(folder, "script.ts");
  await Bun.write(script, moduleUser);
  const run = await mcphost(...server)
    .program([process.execPath, script])
    .cwd(folder)
    .run();
  expectRun(run, { stdout: "completed HELLO\n" });
  const node = Bun.which("node");
  if (node !== null) {
    const elsewhere = join(folder, "elsewhere.js");
    const text = `import { createHost } from "mcphost"; await createHost({ servers: {} }).catch((error) => console.log(error.message));`;
    await Bun.write(elsewhere, text);
    const told = await mcphost().program([node, elsewhere]).cwd(folder).run();
    expectRun(told, { stdout: "mcphost needs Bun: https://bun.sh\n" });
  }
  // The declaration files are whole: a stranger's program checks against them.
  const tsc = [process.execPath, join(root, "node_modules/typescript/bin/tsc")];
  const flags = "--noEmit --strict --module nodenext --target esnext --types bun-types".split(" ");
  const types = ["--typeRoots", join(root, "node_modules")];
  const checked = await mcphost(...flags, ...types, script)
    .program(tsc)
    .cwd(folder)
    .run();
  expectRun(checked, {});
}, 60_000);

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

const moduleUser = `
import { createHost, definePlugin } from "mcphost";
const [command = "", ...args] = process.argv.slice(2);
const louder = definePlugin({
  name: "louder",
  hooks: {
    beforeCall: ({ arguments: { message } }) =>
      typeof message === "string" ? { arguments: { message: message.toUpperCase() } } : undefined,
  },
});
const servers = { server: { command, args } };
await using host = await createHost({ servers, plugins: [louder] });
const outcome = await host.call({ tool: "echo", arguments: { message: "hello" } });
const content = outcome.status === "completed" ? outcome.result.content : undefined;
console.log(outcome.status, (content as { text: string }[])[0]!.text);
`;

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

const plugin = `
import { createHost, definePlugin, isHostError } from "mcphost";
import * as v from "valibot";
import dependency from "dependency";
import { beside } from "./beside.ts";
const own: string = [createHost, definePlugin, isHostError].map((it) => typeof it).join();
export default definePlugin({
  name: "t",
  tools: {
    it: {
      description: "",
      input: v.object({ n: v.number() }),
      run: ({ n }) => [own, dependency, beside, n].join(" "),
    },
  },
});
`;

/** A plugin gets our own modules, and those that lie beside it; what is not there is not fetched. */
async function plugged(dir: TempDir, program: string[]): Promise<void> {
  const folder = dir.file("plugged");
  const file = (name: string, text: string) => Bun.write(join(folder, name), text);
  await file("plugin.ts", plugin);
  await file("beside.ts", 'export const beside: string = "beside";');
  await file(
    "node_modules/dependency/package.json",
    '{ "name": "dependency", "exports": "./it.js" }',
  );
  await file("node_modules/dependency/it.js", 'export default "installed";');
  await file("lost.ts", 'import "not-installed-anywhere"; export default { name: "l" };');
  const env = {
    PATH: await pathWithBun(dir),
    BUN_INSTALL_CACHE_DIR: dir.file("empty-cache"),
    BUN_CONFIG_REGISTRY: "http://127.0.0.1:9/",
  };
  const run = (name: string) =>
    mcphost("call", "it", "n=5", "--plugin", join(folder, name))
      .program(program)
      .cwd(dir.path)
      .env(env)
      .run();
  expectRun(await run("plugin.ts"), {
    stdout: "function,function,function installed beside 5\n",
  });
  expectRun(await run("lost.ts"), {
    code: 2,
    stderr:
      /lost\.ts cannot be loaded: Cannot find package 'not-installed-anywhere'.*\n.*beside it/,
  });
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

/** The tarball as `bun pm pack` makes it of a fresh build. */
async function packed(dir: TempDir): Promise<string> {
  const source = dir.file("source");
  await build(join(source, "dist"));
  for (const name of ["package.json", "LICENSE"]) await cp(join(root, name), join(source, name));
  await bun(dir, source, ["pm", "pack", "--ignore-scripts", "--filename", dir.file("packed.tgz")]);
  return dir.file("packed.tgz");
}

async function bun(dir: TempDir, cwd: string, args: string[]): Promise<void> {
  const run = await mcphost(...args)
    .program([process.execPath])
    .cwd(cwd)
    .env({ BUN_INSTALL_CACHE_DIR: dir.file("cache") })
    .run();
  expect(run).toMatchObject({ code: 0 });
}

async function pathWithBun(dir: TempDir): Promise<string> {
  const folder = dir.file("path");
  await mkdir(folder, { recursive: true });
  await symlink(process.execPath, join(folder, "bun")).catch(() => {});
  return [folder, process.env["PATH"]].join(delimiter);
}
