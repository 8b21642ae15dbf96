/**
 * Builds what is shipped: `build` the bundle with its declaration files, `compile` the binary. Both are told where to
 * write, so that tests build beside each other. Run by the `build` and `compile` scripts of package.json.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { packName } from "../lib/cli/keep-program.ts";
import { bundle, worker, write } from "./bundle.ts";

const root = join(import.meta.dir, "..");

const declarations = (
  "--declaration --emitDeclarationOnly --noCheck --rootDir . --types bun-types --target esnext --lib esnext " +
  "--module preserve --moduleResolution bundler --allowImportingTsExtensions"
).split(" ");

/** Writes `mcphost.js` (with its `#!` line and the execute bit) and its bytecode, what it loads later, and `types/`. */
export async function build(folder: string): Promise<void> {
  const types = join(folder, "types");
  const former = await Array.fromAsync(new Bun.Glob("**/*.{js,jsc}").scan({ cwd: folder })).catch(
    () => [],
  );
  for (const file of former) await rm(join(folder, file));
  await rm(types, { recursive: true, force: true });
  await bundle(folder);
  await pack(folder);
  await run(["node_modules/typescript/bin/tsc", "mcphost.ts", ...declarations, "--outDir", types]);
  await prune(types);
}

/** Writes what a process that lives for long keeps of it in memory. */
export async function pack(folder: string): Promise<void> {
  const lib = join(folder, "lib");
  const names = await Array.fromAsync(new Bun.Glob("*.js").scan({ cwd: lib }));
  const texts: Record<string, string> = {};
  for (const name of names.toSorted()) texts[name] = await Bun.file(join(lib, name)).text();
  await Bun.write(
    join(folder, packName),
    Bun.zstdCompressSync(JSON.stringify(texts), { level: 19 }),
  );
}

/**
 * Writes one binary that needs no Bun. It reads no `.env` and no `bunfig.toml` where it is started. It is made of a
 * bundle, so that the worker lies beside the rest there too.
 */
export async function compile(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mcphost-build-"));
  try {
    await write({
      entrypoints: ["mcphost.ts", worker].map((entry) => join(root, entry)),
      naming: { entry: "[name].[ext]" },
      splitting: true,
      outdir: folder,
    });
    const alone = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
    // A plugin's own packages are found by their package.json.
    alone.push("--compile-autoload-package-json");
    const parts = [join(folder, "mcphost.js"), join(folder, "schema-worker.js")];
    const bytecode = ["--bytecode", "--format=esm"];
    await run(["build", "--compile", ...bytecode, ...alone, ...parts, `--outfile=${file}`]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const [what] = Bun.argv.slice(2);
  if (what === "bundle") await build(join(root, "dist"));
  else if (what === "binary") await compile(join(root, "dist", "mcphost"));
  else throw new Error("usage: build.ts bundle|binary");
}

// --- internal ---

/** Leaves only the declarations that the entry's lead to: the rest of the house is nobody's business. */
async function prune(types: string): Promise<void> {
  const kept = new Set([join(types, "mcphost.d.ts")]);
  for (const file of kept) {
    const text = await Bun.file(file).text();
    for (const [, path] of text.matchAll(/(?:from |import\()"(\.[^"]+)\.ts"/g))
      kept.add(join(dirname(file), `${path}.d.ts`));
  }
  for (const name of new Bun.Glob("**/*.d.ts").scanSync(types))
    if (!kept.has(join(types, name))) await rm(join(types, name));
}

/** By the Bun that runs us, so that it works where there is no Node. */
async function run(args: string[]): Promise<void> {
  const proc = Bun.spawn([process.execPath, ...args], {
    cwd: root,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err, code] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
  if (code !== 0) throw new Error(`${args.join(" ")} failed\n${out}${err}`);
}
