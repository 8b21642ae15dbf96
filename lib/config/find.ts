/**
 * Finds files that nobody named: the nearest config going up, the user's own, lists of tools that were kept. Looks, and reads
 * nothing.
 */
import { configFolder, type Env, foldersUp, joinPath, ourPaths } from "./paths.ts";

const projectNames = ["mcphost.json", "mcphost.jsonc", ".mcp.json", "mcp.json"];
const userNames = ["config.json", "config.jsonc"];

/** The config of the nearest folder that has one, going up from `cwd` (absolute); inside a folder the first of the names counts. */
export async function findConfig(cwd: string): Promise<string | undefined> {
  for (const folder of foldersUp(cwd)) {
    const found = await firstOf(folder, projectNames);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The user's own config, if there is one. */
export async function findUserConfig(env: Env): Promise<string | undefined> {
  const { config } = ourPaths(env);
  return config === undefined ? undefined : await firstOf(config, userNames);
}

/** As `findUserConfig`, at once: no thread is asked to look. */
export function userConfigNow(env: Env): string | undefined {
  const config = configFolder(env);
  // Most have none.
  if (config === undefined || !isThere(config)) return undefined;
  for (const name of userNames) if (isThere(joinPath(config, name))) return joinPath(config, name);
  return undefined;
}

/** False where `findConfig` surely finds none. At once. */
export function mayFindConfig(cwd: string): boolean {
  for (const folder of foldersUp(cwd))
    for (const name of projectNames) if (isThere(joinPath(folder, name))) return true;
  return false;
}

/** Whether lists of tools are kept at all: a look at their folder, which has a size where it is there. */
export function mayHaveKeptLists(env: Env): boolean {
  const { cache } = ourPaths(env);
  if (cache === undefined) return false;
  return process.platform === "win32" || Bun.file(joinPath(cache, "lists")).size > 0;
}

// --- internal ---

/** By its time, which Bun says to be this of a file that is not there: the size is that of an empty one. */
function isThere(path: string): boolean {
  return Bun.file(path).lastModified !== 2 ** 52 - 1;
}

async function firstOf(folder: string, names: string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = joinPath(folder, name);
    if (await Bun.file(path).exists()) return path;
  }
  return undefined;
}
