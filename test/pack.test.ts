/** The packed tarball: installed and run without network, as a command and as a module. */
import { expect, test } from "bun:test";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

import { packName } from "../lib/cli/keep-program.ts";
import { build } from "./build.ts";
import { expectRun, mcphost, root, type TempDir, tempDir } from "./harness.ts";
import { call, pathWithBun, plugged, server } from "./pack-kit.ts";

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

  const shipped = await readdir(join(folder, "node_modules/mcphost/dist"));
  expect(shipped).toContain(packName);

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

// --- internal ---

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
