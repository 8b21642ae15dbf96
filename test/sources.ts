/** The source files as data: their rooms, what they import and how, and their text without comments. */
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { root } from "./harness.ts";

export interface Import {
  /** As written. */
  path: string;
  /** The file from the root, such as `lib/base/errors.ts`; undefined for packages and built-ins. */
  file: string | undefined;
  kind: "static" | "dynamic" | "type";
}

export interface Source {
  /** From the root. */
  file: string;
  /** The folder under `lib/`; undefined for the entry. */
  room: string | undefined;
  /** Without the `#!` line. */
  text: string;
  /** The same without comments. */
  code: string;
  imports: Import[];
}

/** The entry and all of `lib/`. */
export function sources(): Source[] {
  const files = [...new Bun.Glob("lib/**/*.ts").scanSync(root)].filter(
    (file) => !file.endsWith(".d.ts"),
  );
  return ["mcphost.ts", ...files.toSorted()].map(source);
}

// --- internal ---

function source(file: string): Source {
  const text = readFileSync(join(root, file), "utf8").replace(/^#!.*\n/, "");
  const code = withoutComments(text);
  const values = new Bun.Transpiler({ loader: "ts" }).scanImports(text).map(({ path, kind }) => ({
    path,
    kind: kind === "dynamic-import" ? ("dynamic" as const) : ("static" as const),
  }));
  // The transpiler leaves out what is only there for types.
  const types = [...code.matchAll(/^(?:import|export) type [^;]*? from "([^"]+)"/gm)].map(
    ([, path]) => ({ path: path!, kind: "type" as const }),
  );
  return {
    file,
    room: /^lib\/([^/]+)\//.exec(file)?.[1],
    text,
    code,
    imports: [...values, ...types].map(({ path, kind }) => ({
      path,
      kind,
      file: resolve(file, path),
    })),
  };
}

function resolve(from: string, path: string): string | undefined {
  if (!path.startsWith(".")) return undefined;
  return relative(root, join(root, dirname(from), path));
}

/** Takes comments away and leaves strings alone: good enough for our own style. */
function withoutComments(text: string): string {
  const string = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/;
  const comment = /\/\*[^]*?\*\/|\/\/.*/;
  const either = new RegExp(`(${string.source})|${comment.source}`, "g");
  return text.replace(either, (_, kept: string | undefined) => kept ?? "");
}
