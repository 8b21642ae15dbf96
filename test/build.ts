/**
 * Builds what is shipped: `build` the bundle with its declaration files, `compile` the binary. Both are told where to
 * write, so that tests build beside each other. Run by the `build` and `compile` scripts of package.json.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** The program, and the worker that it starts by its address: both must be files of their own. */
const entries = ["mcphost.ts", "lib/base/schema-worker.ts"];

const declarations = (
  "--declaration --emitDeclarationOnly --rootDir . --skipLibCheck --types bun-types --target esnext " +
  "--module preserve --moduleResolution bundler --allowImportingTsExtensions"
).split(" ");

/** Writes `mcphost.js` (with its `#!` line and the execute bit), its lazy chunks, and `types/`. */
export async function build(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await bundle(folder);
  const types = [...declarations, "--outDir", join(folder, "types")];
  await run(["node_modules/typescript/bin/tsc", "mcphost.ts", ...types]);
}

/**
 * Writes one binary that needs no Bun. It reads no `.env` and no `bunfig.toml` where it is started. It is made of the
 * bundle, so that the worker lies beside the rest there too.
 */
export async function compile(file: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "mcphost-build-"));
  try {
    await bundle(folder);
    const alone = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
    const parts = [join(folder, "mcphost.js"), join(folder, "schema-worker.js")];
    await run(["build", "--compile", ...alone, ...parts, `--outfile=${file}`]);
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

async function bundle(folder: string): Promise<void> {
  const flags = ["--target=bun", "--splitting", "--minify", "--entry-naming=[name].[ext]"];
  await run(["build", ...entries, ...flags, `--outdir=${folder}`]);
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
