/**
 * What tools a server had when they were last listed, for completion only: nothing else may rely on it. It holds names,
 * descriptions and arguments, by a hash of the server's entry as written. It never throws: what fails is just not there.
 */
import { isObject } from "../base/json.ts";
import { readOwn, writePrivate } from "../config/files.ts";
import { type Env, joinPath, ourPaths } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import type { HostTool } from "../host/types.ts";

/** A tool as completion needs it. */
export type RecalledTool = Pick<HostTool, "name" | "tool" | "inputSchema"> & {
  description?: string;
  /** The server's name, where the tools of several stand together; it is not kept. */
  server?: string;
};

/** Keeps the list of one server for `recalledTools`; the oldest lists go. Lists beyond 4 MiB are not kept. */
export async function rememberTools(
  env: Env,
  server: ServerConfig,
  tools: readonly HostTool[],
): Promise<void> {
  await remember(env, "tools", server, { tools: tools.map(shortened) });
}

/** The tools that were remembered for this very entry; undefined where there are none. */
export async function recalledTools(
  env: Env,
  server: ServerConfig,
): Promise<RecalledTool[] | undefined> {
  const tools = (await recall(env, "tools", server))?.["tools"];
  return Array.isArray(tools) ? tools.filter(isTool) : undefined;
}

/** Keeps a value of one server under a folder of our cache. Never throws. */
export async function remember(
  env: Env,
  kind: string,
  server: ServerConfig,
  value: object,
): Promise<void> {
  try {
    const folder = folderIn(env, kind);
    const text = JSON.stringify(value);
    if (folder === undefined || text.length > bytesMax) return;
    await writePrivate(joinPath(folder, `${keyOf(server)}.json`), text);
    await prune(folder);
  } catch {
    // No cache: completion then knows nothing of it.
  }
}

/** What `remember` kept, unchecked; undefined where there is none. Never throws. */
export async function recall(
  env: Env,
  kind: string,
  server: ServerConfig,
): Promise<Record<string, unknown> | undefined> {
  try {
    const folder = folderIn(env, kind);
    if (folder === undefined) return undefined;
    const path = joinPath(folder, `${keyOf(server)}.json`);
    const value: unknown = JSON.parse(await readOwn(path, bytesMax));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Leaves the newest 200 of our files in a folder, and all that is not ours. @throws the system's error */
export async function prune(folder: string): Promise<void> {
  const { lstat, readdir, unlink } = await import("node:fs/promises");
  const names = (await readdir(folder)).filter((name) => fileName.test(name));
  if (names.length <= filesMax) return;
  const dated = await Promise.all(
    names.map(async (name) => ({ name, at: (await lstat(joinPath(folder, name))).mtimeMs })),
  );
  dated.sort((a, b) => b.at - a.at);
  await Promise.all(dated.slice(filesMax).map(({ name }) => unlink(joinPath(folder, name))));
}

// --- internal ---

const bytesMax = 4_194_304;
const filesMax = 200;
/** By their hash; a temporary one that was left has more behind it. */
const fileName = /^[0-9a-f]{32}\.json/;

function folderIn(env: Env, kind: string): string | undefined {
  const { cache } = ourPaths(env);
  return cache === undefined ? undefined : joinPath(cache, kind);
}

/** The entry as written: neither where it stands nor a flag such as `--env` changes what tools it has. */
function keyOf(server: ServerConfig): string {
  const { name, written } = server;
  const link = server.kind === "stdio" ? [server.command, server.args] : server.url;
  const text = JSON.stringify([name, link, written]);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 32);
}

function shortened({ name, tool, description, inputSchema }: HostTool): RecalledTool {
  const short = description === undefined ? {} : { description: description.slice(0, 200) };
  return { name, tool, inputSchema, ...short };
}

function isTool(value: unknown): value is RecalledTool {
  return (
    isObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["tool"] === "string" &&
    isObject(value["inputSchema"]) &&
    ["string", "undefined"].includes(typeof value["description"])
  );
}
