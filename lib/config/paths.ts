/**
 * Where our files lie, and the little arithmetic over paths that a one-shot call needs without loading `node:path`: pure, but
 * for the looks that such a call takes at whether one is there.
 */

export type Env = Record<string, string | undefined>;

/** Our folders; undefined where the environment names neither them nor a home. */
export interface OurPaths {
  home: string | undefined;
  /** `config.json[c]` of the user. */
  config: string | undefined;
  /** Trust, tasks, store. */
  state: string | undefined;
  /** Era verdicts, tool lists for completion: may be deleted at any time. */
  cache: string | undefined;
}

/** By the XDG base directory specification (relative values are ignored, as it asks, and what is no path), or Windows' own folders. */
export function ourPaths(env: Env, platform: string = process.platform): OurPaths {
  const home = homeIn(env, platform);
  const local = platform === "win32" ? absolute(env.LOCALAPPDATA) : undefined;
  const temporary = local === undefined ? undefined : `${local}/Temp`;
  return {
    home,
    config: configFolder(env, platform),
    state: ours(absolute(env.XDG_STATE_HOME) ?? local, home, ".local/state"),
    cache: ours(absolute(env.XDG_CACHE_HOME) ?? temporary, home, ".cache"),
  };
}

/** What a config is called in a folder of a project, and in ours; of several the first counts. */
export const projectNames = ["mcphost.json", "mcphost.jsonc", ".mcp.json", "mcp.json"];
export const userNames = ["config.json", "config.jsonc"];

/** The user's own config, if there is one. At once: no thread is asked to look. */
export function userConfigNow(env: Env): string | undefined {
  const config = configFolder(env);
  // Most have none.
  if (config === undefined || !isThere(config)) return undefined;
  for (const name of userNames) if (isThere(joinPath(config, name))) return joinPath(config, name);
  return undefined;
}

/** False where surely no folder from `cwd` up has a config. At once. */
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

/** The folder of a file; the root is its own folder. */
export function folderOf(path: string): string {
  const at = lastSlash(path);
  if (at < 0) return ".";
  return path.slice(0, Math.max(at, rootOf(path).length)) || "/";
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.slice(lastSlash(path) + 1);
}

/** `path` seen from `folder`, without `.` and `..`; an absolute path stays where it is. */
export function resolvePath(folder: string, path: string): string {
  const whole = isAbsolutePath(path) ? path : joinPath(folder, path);
  const root = rootOf(whole);
  const parts: string[] = [];
  for (const part of whole.slice(root.length).split(separators(whole))) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0) parts.pop();
  }
  return root + parts.join(root.includes("\\") ? "\\" : "/");
}

/** `folder` and all folders above it, nearest first. */
export function foldersUp(folder: string): string[] {
  const folders: string[] = [];
  for (let at = folder; folders.at(-1) !== at; at = folderOf(at)) folders.push(at);
  return folders;
}

export function joinPath(folder: string, path: string): string {
  return folder.endsWith("/") || folder.endsWith("\\") ? folder + path : `${folder}/${path}`;
}

/** A path as a person would name it: below `cwd` relative, below the home with `~`, else whole. */
export function shownPath(path: string, cwd: string, home: string | undefined): string {
  if (path.startsWith(joinPath(cwd, "")) && cwd !== "/")
    return path.slice(joinPath(cwd, "").length);
  if (home !== undefined && home !== "/" && path.startsWith(joinPath(home, "")))
    return `~/${path.slice(joinPath(home, "").length)}`;
  return path;
}

// --- internal ---

/** `config` of `ourPaths` alone: it is asked for before a server is started. */
function configFolder(env: Env, platform: string = process.platform): string | undefined {
  const roaming = platform === "win32" ? absolute(env.APPDATA) : undefined;
  const named = absolute(env.XDG_CONFIG_HOME) ?? roaming;
  return ours(named, named === undefined ? homeIn(env, platform) : undefined, ".config");
}

/** By its time, which Bun says to be this of a file that is not there: the size is that of an empty one. */
function isThere(path: string): boolean {
  return Bun.file(path).lastModified !== 2 ** 52 - 1;
}

function homeIn(env: Env, platform: string): string | undefined {
  return absolute(env.HOME) ?? (platform === "win32" ? absolute(env.USERPROFILE) : undefined);
}

/** Ours in the folder that the environment names, else in one below its home. */
function ours(named: string | undefined, home: string | undefined, below: string) {
  const folder = named ?? (home === undefined ? undefined : joinPath(home, below));
  return folder === undefined ? undefined : joinPath(folder, "mcphost");
}

function isAbsolutePath(path: string): boolean {
  return path.startsWith("/") || path.startsWith("\\\\") || /^[A-Za-z]:[\\/]/.test(path);
}

/** More than this is no path of a folder, here or elsewhere, and Bun throws where it is asked of a file. */
const lengthMax = 1000;

function absolute(path: string | undefined): string | undefined {
  return path !== undefined && path.length <= lengthMax && isAbsolutePath(path) ? path : undefined;
}

/** A backslash divides only where the path is plainly a Windows one: elsewhere it is a character of a name. */
function separators(path: string): RegExp {
  return rootOf(path) === "/" ? /\// : /[\\/]/;
}

function lastSlash(path: string): number {
  const forward = path.lastIndexOf("/");
  return /^([A-Za-z]:[\\/]|\\\\)/.test(path) ? Math.max(forward, path.lastIndexOf("\\")) : forward;
}

function rootOf(path: string): string {
  return /^(\/|[A-Za-z]:[\\/]|\\\\)/.exec(path)?.[0] ?? "";
}
