/**
 * The JavaScript that is shipped, from the sources to files in one folder. Which modules a plain call needs is written
 * here; what else is imported dynamically is found by itself.
 */
import { dirname, join, relative } from "node:path";

import { unformatted } from "./unformatted.ts";

const root = join(import.meta.dir, "..");

/**
 * Files with bytecode: what starts the server of a plain call, what finds it in a config, and the rest of that over pipes and
 * over HTTP; of any other call the same, what runs any command, and, apart since `serve` has its own and would keep it in memory
 * for nothing, what opens servers; what one that is reached by a URL needs besides, and what lists of tools that are kept need.
 * `entries` are what the file exports; `hot` is what they import dynamically, here as if that were static.
 */
const parts = [
  { name: "main", entries: ["lib/cli/main.ts", "lib/process/reaper.ts"], hot: [] },
  { name: "file", entries: ["lib/cli/plain/config.ts", "lib/cli/plain/document.ts"], hot: [] },
  { name: "pipe", entries: ["lib/cli/plain/pipe.ts"], hot: [] },
  { name: "post", entries: ["lib/cli/plain/post.ts"], hot: [] },
  {
    name: "line",
    entries: ["lib/cli/line.ts", "lib/process/spawn.ts"],
    hot: ["lib/cli/commands/call.ts"],
  },
  { name: "run", entries: ["lib/cli/run.ts"], hot: [] },
  {
    name: "open",
    // What opens servers and speaks to them is needed by others, too.
    entries: ["lib/cli/call.ts", "lib/cli/open.ts", "lib/client/client.ts"],
    hot: ["lib/host/desk.ts", "lib/transport/stdio.ts", "lib/config/files.ts"],
  },
  {
    name: "remote",
    entries: [
      "lib/host/reach.ts",
      "lib/host/remote.ts",
      "lib/host/call-headers.ts",
      "lib/config/expand-http.ts",
      "lib/client/watch-era.ts",
    ],
    hot: ["lib/transport/http.ts", "lib/transport/http-listen.ts", "lib/transport/http-stream.ts"],
  },
  { name: "kept", entries: ["lib/cli/kept-tools.ts"], hot: [] },
  { name: "tools", entries: ["lib/cli/commands/tools.ts"], hot: ["lib/cli/tool-cache.ts"] },
  { name: "config", entries: ["lib/config/document.ts", "lib/config/trust.ts"], hot: [] },
];

/** Started by its address, so that it must be a file of its own, beside whatever starts it. */
export const worker = "lib/base/schema-worker.ts";

/**
 * What a plain call needs is CommonJS with bytecode (`main.js.jsc`, which another Bun than the one that built it leaves
 * alone): half of a start was spent on reading code, and bytecode needs CommonJS, which cannot be split. All that is
 * imported later lies below it in `lib/`, split, with copies of its own of what both need: Bun reads the whole list of a
 * folder that it loads from, which should be short. The entry is an ES module that awaits
 * `main`: Bun collects garbage, in threads that it starts for that, when an entry has come to its end.
 */
export async function bundle(folder: string): Promise<void> {
  const lazy = await lazyModules();
  const doors = await Promise.all(lazy.map(door));
  await write({
    entrypoints: [...doors.map(([entry]) => entry), join(root, worker)],
    files: Object.fromEntries(doors),
    naming: { entry: "[name].[ext]", chunk: "[name]-[hash].[ext]" },
    splitting: true,
    outdir: join(folder, "lib"),
  });
  await write({
    entrypoints: [join(root, worker)],
    naming: { entry: "[name].[ext]" },
    outdir: folder,
  });
  for (const part of parts) {
    const { name, entries } = part;
    const entry = join(root, `${name}-part.ts`);
    await write({
      entrypoints: [entry],
      files: { [entry]: (await Promise.all(entries.map(assignmentsOf))).join("") },
      naming: { entry: `${name}.[ext]` },
      format: "cjs",
      bytecode: true,
      outdir: folder,
      plugins: [apart(lazy), link("require", part)],
    });
  }
  await write({
    entrypoints: [join(root, "mcphost.ts")],
    outdir: folder,
    plugins: [apart(lazy), link("import.meta.require")],
  });
}

/** Minified, for Bun. @throws AggregateError */
export async function write({ plugins = [], ...config }: Bun.BuildConfig): Promise<void> {
  const built = await Bun.build({
    target: "bun",
    minify: true,
    plugins: [...plugins, unformatted],
    ...config,
  });
  if (!built.success) throw new AggregateError(built.logs, "the bundle could not be built");
}

// --- internal ---

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
          const isOwn = part?.name === own;
          if (part !== undefined && !isOwn) return `${require}("./${part.name}.js")`;
          if (!isOwn && !hot.includes(target)) return whole;
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

/** Leaves what imports these modules as it is: they are files of their own. */
function apart(modules: readonly string[]): Bun.BunPlugin {
  const files = new Set(modules.map((file) => join(root, file)));
  return {
    name: "lazy modules lie apart",
    setup(builder) {
      builder.onResolve({ filter: /^\.{1,2}\// }, ({ path, importer, kind }) => {
        const file = join(dirname(importer), path);
        if (kind !== "dynamic-import" || !files.has(file)) return undefined;
        return { path: `./lib/${nameOf(relative(root, file))}.js`, external: true };
      });
    },
  };
}

/** All modules that ours import by `import(…)`, but for the hot ones. */
async function lazyModules(): Promise<string[]> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const found = new Set<string>();
  const linked = new Set(parts.flatMap(({ entries, hot }) => [...entries, ...hot]));
  linked.delete("lib/cli/commands/call.ts");
  for (const file of ["mcphost.ts", ...new Bun.Glob("lib/**/*.ts").scanSync(root)]) {
    const source = (await Bun.file(join(root, file)).text()).replace(/^#!.*/, "");
    for (const { kind, path } of transpiler.scanImports(source)) {
      const target = join(dirname(file), path);
      if (kind !== "dynamic-import" || !path.startsWith(".") || linked.has(target)) continue;
      found.add(target);
    }
  }
  return [...found];
}

/** An entry with the name of a lazy module, and its text: two rooms may have files of one name. */
async function door(file: string): Promise<[entry: string, text: string]> {
  return [join(root, `${nameOf(file)}.ts`), await exportsOf(file)];
}

async function exportsOf(file: string): Promise<string> {
  const hasDefault = /^export default /m.test(await Bun.file(join(root, file)).text());
  return `export * from "./${file}";${hasDefault ? `export { default } from "./${file}";` : ""}`;
}

/** As CommonJS has it: what makes an ES module of a part takes longer than to load a small one. */
async function assignmentsOf(file: string): Promise<string> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const { exports: names } = transpiler.scan(await Bun.file(join(root, file)).text());
  const local = (name: string) => `${nameOf(file).replaceAll("-", "_")}_${name}`;
  const imported = names.map((name) => `${name} as ${local(name)}`);
  const assigned = names.map((name) => `exports.${name} = ${local(name)};`);
  return `import { ${imported.join()} } from "./${file}";${assigned.join("")}`;
}

/** `lib/host/desk.ts` is shipped as `lib/host-desk.js`. */
function nameOf(file: string): string {
  return file
    .replace(/^lib\//, "")
    .replace(/\.ts$/, "")
    .replaceAll("/", "-");
}
