/**
 * Builds what is shipped: `build` the bundle with its declaration files, `compile` the binary. Both take the folder to
 * write to, so that tests build beside each other. Run by the `build` and `compile` scripts of package.json.
 */
import { rm } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

/** The program, and the worker that it starts by its address: both must be files of their own. */
const entries = ["mcphost.ts", "lib/base/schema-worker.ts"];

const declarations = (
  "--declaration --emitDeclarationOnly --rootDir . --skipLibCheck --types bun-types --target esnext " +
  "--module preserve --moduleResolution bundler --allowImportingTsExtensions --rewriteRelativeImportExtensions"
).split(" ");

/** Writes `mcphost.js` (with its `#!` line and the execute bit), its lazy chunks, and `types/`. */
export async function build(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const flags = ["--target=bun", "--splitting", "--minify", "--entry-naming=[name].[ext]"];
  await run(["bun", "build", ...entries, ...flags, `--outdir=${folder}`]);
  await run(["tsc", "mcphost.ts", ...declarations, "--outDir", join(folder, "types")]);
}

/** Writes one binary that needs no Bun. It reads no `.env` and no `bunfig.toml` where it is started. */
export async function compile(file: string): Promise<void> {
  const alone = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"];
  await run(["bun", "build", "--compile", "--minify", ...alone, ...entries, `--outfile=${file}`]);
}

if (import.meta.main) {
  const [what] = Bun.argv.slice(2);
  if (what === "bundle") await build(join(root, "dist"));
  else if (what === "binary") await compile(join(root, "dist", "mcphost"));
  else throw new Error("usage: build.ts bundle|binary");
}

// --- internal ---

async function run([command, ...args]: string[]): Promise<void> {
  const program =
    command === "bun" ? process.execPath : join(root, "node_modules", ".bin", command!);
  const proc = Bun.spawn([program, ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed\n${out}${err}`);
}
