/** Where a plugin lies: a file seen from the folder of whoever names it, or a package that is installed there. */
import { HostError } from "../base/errors.ts";
import { folderOf, resolvePath } from "../config/paths.ts";
import type { PluginEntry } from "../config/types.ts";
import type { Io } from "./types.ts";

/** A plugin, and the file that it is. */
export type PlacedPlugin = PluginEntry & { file: string };

/** `--plugin` names files alone. @throws HostError `config`: a package that is not installed there, a path that is none */
export function placeOf(entry: PluginEntry, io: Pick<Io, "cwd">): PlacedPlugin {
  const file = fileOf(entry, io);
  if (Buffer.byteLength(file) > pathBytesMax)
    throw new HostError("config", `the path of a plugin is too long: ${entry.spec}`, {
      facts: { plugin: entry.spec },
    });
  // Bun ends a path there when it imports it: not the file that is named and trusted would run, but another.
  if (!file.includes("?")) return { ...entry, file };
  throw new HostError(
    "config",
    `plugin ${entry.spec}: a plugin with ? in its path cannot be loaded`,
    {
      facts: { plugin: entry.spec, file },
      hint: "give it another name",
    },
  );
}

// --- internal ---

/** No system opens a longer one, and Bun throws where it is asked of a file. */
const pathBytesMax = 4095;

function fileOf({ spec, origin }: PluginEntry, { cwd }: Pick<Io, "cwd">): string {
  const folder = origin.file === undefined ? cwd : folderOf(origin.file);
  const isFile = origin.file === undefined || /^(\.{0,2}\/|file:)|\.[cm]?[jt]sx?$/.test(spec);
  if (isFile) {
    const path = spec.startsWith("file:") ? Bun.fileURLToPath(spec) : spec;
    return resolvePath(folder, path);
  }
  try {
    return Bun.resolveSync(spec, folder);
  } catch (cause) {
    throw new HostError("config", `plugin ${spec}: there is no such package in ${folder}`, {
      facts: { plugin: spec },
      hint: `install it there, since nothing is fetched; a file is written ./${spec}`,
      cause,
    });
  }
}
