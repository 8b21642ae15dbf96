/** Calls by what is shipped, and a plugin beside it. */
import { mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { bunAlone, expectRun, mcphost, root, type TempDir } from "./harness.ts";

/** The server that is called. */
export const server = [...bunAlone, join(root, "test/fixtures/servers/echo.ts")];

/** The words of a call that says hello. */
export const call = ["call", "echo", "message=hello", "--", ...server];

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
export async function plugged(dir: TempDir, program: string[]): Promise<void> {
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

/** A PATH on which our Bun comes first. */
export async function pathWithBun(dir: TempDir): Promise<string> {
  const folder = dir.file("path");
  await mkdir(folder, { recursive: true });
  await symlink(process.execPath, join(folder, "bun")).catch(() => {});
  return [folder, process.env["PATH"]].join(delimiter);
}
