/**
 * Builds what is shipped: `build` the bundle with its declaration files, `compile` the binary. Both are told where to
 * write, so that tests build beside each other. Run by the `build` and `compile` scripts of package.json.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

const root = join(import.meta.dir, "..");

/**
 * A plain call in two files with bytecode: what starts the server, and the rest, loaded while the server starts. `entries`
 * are what the file exports; `hot` is what they import dynamically, here as if that were static.
 */
const parts = [
  {
    name: "main",
    // What starts processes is needed by both.
    entries: ["lib/cli/main.ts", "lib/process/spawn.ts", "lib/process/reaper.ts"],
    hot: ["lib/cli/commands/call.ts"],
  },
  {
    name: "run",
    entries: ["lib/cli/run.ts", "lib/cli/call.ts"],
    hot: ["lib/host/desk.ts", "lib/client/client.ts", "lib/transport/stdio.ts"],
  },
];

/** Started by its address, so that it must be a file of its own. */
const worker = "lib/base/schema-worker.ts";

const declarations = (
  "--declaration --emitDeclarationOnly --noCheck --rootDir . --types bun-types --target esnext --lib esnext " +
  "--module preserve --moduleResolution bundler --allowImportingTsExtensions"
).split(" ");

/** Writes `mcphost.js` (with its `#!` line and the execute bit) and its bytecode, what it loads later, and `types/`. */
export async function build(folder: string): Promise<void> {
  const types = join(folder, "types");
  const former = await Array.fromAsync(new Bun.Glob("*.{js,jsc}").scan({ cwd: folder })).catch(
    () => [],
  );
  for (const file of former) await rm(join(folder, file));
  await rm(types, { recursive: true, force: true });
  await bundle(folder);
  await run(["node_modules/typescript/bin/tsc", "mcphost.ts", ...declarations, "--outDir", types]);
  await prune(types);
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

/**
 * What a plain call needs is CommonJS with bytecode (`main.js.jsc`, which another Bun than the one that built it leaves
 * alone): half of a start was spent on reading code, and bytecode needs CommonJS, which cannot be split. All that is
 * imported later lies beside it, split, with copies of its own of what both need. The entry is an ES module that awaits
 * `main`: Bun collects garbage, in threads that it starts for that, when an entry has come to its end.
 */
async function bundle(folder: string): Promise<void> {
  const lazy = await lazyModules();
  await write({
    entrypoints: [...lazy, worker].map((file) => join(root, file)),
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
    splitting: true,
    outdir: folder,
  });
  for (const part of parts) {
    const { name, entries } = part;
    const entry = join(root, `${name}-part.ts`);
    const exported = entries.map((file) => `export * from "./${file}";`).join("");
    await write({
      entrypoints: [entry],
      files: { [entry]: exported },
      naming: { entry: `${name}.[ext]` },
      format: "cjs",
      bytecode: true,
      outdir: folder,
      plugins: [beside(lazy), link("require", part)],
    });
  }
  await write({
    entrypoints: [join(root, "mcphost.ts")],
    outdir: folder,
    plugins: [beside(lazy), link("import.meta.require")],
  });
}

/** Rewrites imports of parts to `require`, in our own thread (an import would start others), and those of `hot` to static ones. */
function link(
  require: string,
  { name: own = "", hot = [] as readonly string[] } = {},
): Bun.BunPlugin {
  const others = parts.filter(({ name }) => name !== own);
  return {
    name: "link parts",
    setup(builder) {
      builder.onLoad({ filter: /\/(mcphost|lib\/.*)\.ts$/ }, async ({ path }) => {
        const source = await Bun.file(path).text();
        const imports: string[] = [];
        const contents = source.replace(/\bimport\("(\.[^"]+)"\)/g, (whole, name: string) => {
          const target = relative(root, join(dirname(path), name));
          const part = parts.find(({ entries }) => entries.includes(target));
          if (part !== undefined) return `${require}("./${part.name}.js")`;
          if (!hot.includes(target)) return whole;
          imports.push(`import * as hot${imports.length} from "${name}";`);
          return `hot${imports.length - 1}`;
        });
        return { contents: `${imports.join("")}${contents}`, loader: "ts" };
      });
      const isPart = new RegExp(`^\\./(${parts.map(({ name }) => name).join("|")})\\.js$`);
      builder.onResolve({ filter: isPart }, ({ path }) => ({ path, external: true }));
      builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer }) => {
        const target = relative(root, join(dirname(importer), path));
        const other = others.find(({ entries }) => entries.includes(target));
        return other && { path: `./${other.name}.js`, external: true };
      });
    },
  };
}

/** Leaves what imports these modules as it is: they lie beside, as files of their own. */
function beside(modules: readonly string[]): Bun.BunPlugin {
  const files = new Set(modules.map((file) => join(root, file)));
  return {
    name: "lazy modules lie beside",
    setup(builder) {
      builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind }) => {
        const file = join(dirname(importer), path);
        if (kind !== "dynamic-import" || !files.has(file)) return undefined;
        return { path: `./${basename(file, ".ts")}.js`, external: true };
      });
    },
  };
}

async function write(config: Bun.BuildConfig): Promise<void> {
  const built = await Bun.build({ target: "bun", minify: true, ...config });
  if (!built.success) throw new AggregateError(built.logs, "the bundle could not be built");
}

/** All modules that ours import by `import(…)`, but for the hot ones. */
async function lazyModules(): Promise<string[]> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const found = new Map<string, string>();
  const linked = new Set(parts.flatMap(({ entries, hot }) => [...entries, ...hot]));
  linked.delete("lib/cli/commands/call.ts");
  for (const file of ["mcphost.ts", ...new Bun.Glob("lib/**/*.ts").scanSync(root)]) {
    const source = (await Bun.file(join(root, file)).text()).replace(/^#!.*/, "");
    for (const { kind, path } of transpiler.scanImports(source)) {
      const target = join(dirname(file), path);
      if (kind !== "dynamic-import" || !path.startsWith(".") || linked.has(target)) continue;
      const name = basename(target);
      if ((found.get(name) ?? target) !== target) throw new Error(`two lazy modules: ${name}`);
      found.set(name, target);
    }
  }
  return [...found.values()];
}

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
