/** Finds configs that nobody named: the nearest one going up, and the user's own. Looks, and reads nothing. */
import { type Env, foldersUp, joinPath, ourPaths, projectNames, userNames } from "./paths.ts";

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

// --- internal ---

async function firstOf(folder: string, names: string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = joinPath(folder, name);
    if (await Bun.file(path).exists()) return path;
  }
  return undefined;
}
