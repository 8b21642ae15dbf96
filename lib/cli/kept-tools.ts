/**
 * The lists of tools of modern servers, kept between commands for as long as each server allows (protocol.md 1.11), so that
 * a call need not ask again. A list belongs to one server as it was started or reached: its command, environment, URL and
 * headers, and so to one authorization. What is read back is checked like an answer. It never throws: what fails is not
 * there.
 */
import { isObject, parseJson } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import type { ToolList } from "../client/types.ts";
import { readOwn, writePrivate } from "../config/files.ts";
import { joinPath, ourPaths } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import { childEnv } from "../process/env.ts";
import { ttlMsMax } from "../protocol/modern.ts";
import { readTools } from "../protocol/tools.ts";
import { prune } from "./tool-cache.ts";
import type { Io } from "./types.ts";

type World = Pick<Io, "env" | "cwd">;

/** What was kept of a server that is ready to start, if it is still fresh. It counts as older than any question. */
export async function readKept(
  io: World,
  server: ServerConfig,
): Promise<(ToolList & { at: number }) | undefined> {
  try {
    const path = pathOf(io, server);
    if (path === undefined) return undefined;
    return listIn(parseJson(await readOwn(path, bytesMax)), Date.now());
  } catch {
    return undefined;
  }
}

/** Keeps a list that is fresh beyond this moment; the oldest lists go. Beyond 4 MiB nothing is kept. */
export async function writeKept(io: World, server: ServerConfig, list: ToolList): Promise<void> {
  try {
    const path = pathOf(io, server);
    const leftMs = Math.min((list.freshUntil ?? 0) - performance.now(), ttlMsMax);
    if (path === undefined || leftMs <= 0) return;
    const at = Date.now();
    const tools = list.tools.map(({ raw }) => raw);
    const text = JSON.stringify({ at, until: at + Math.floor(leftMs), tools });
    if (text.length > bytesMax) return;
    await writePrivate(path, text);
    await prune(path.slice(0, path.lastIndexOf("/")));
  } catch {
    // The next call asks the server.
  }
}

/** What was kept of a server is wrong. */
export async function dropKept(io: World, server: ServerConfig): Promise<void> {
  try {
    const path = pathOf(io, server);
    if (path !== undefined) await Bun.file(path).delete();
  } catch {
    // Nothing was kept.
  }
}

// --- internal ---

const bytesMax = 4_194_304;
const toolsMax = 20_000;

function pathOf(io: World, server: ServerConfig): string | undefined {
  const { cache } = ourPaths(io.env);
  if (cache === undefined) return undefined;
  const { origin: _, written: __, ...ready } = server;
  const identity =
    server.kind === "stdio" ? [ready, childEnv(io.env, server), server.cwd ?? io.cwd] : [ready];
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify(identity)).digest("hex");
  return joinPath(cache, `lists/${hash.slice(0, 32)}.json`);
}

function listIn(value: Json, now: number): (ToolList & { at: number }) | undefined {
  if (!isObject(value)) return undefined;
  const { at, until, tools } = value;
  if (typeof at !== "number" || typeof until !== "number" || !Array.isArray(tools))
    return undefined;
  // A clock that was wrong makes a list of the future.
  const isFresh = at <= now && now < until && until - at <= ttlMsMax;
  if (!isFresh || tools.length > toolsMax) return undefined;
  const freshUntil = performance.now() + (until - now);
  return { ...readTools({ tools }), freshUntil, at: -Infinity };
}
