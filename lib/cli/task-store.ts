/**
 * The tasks that calls left behind (`call --detach`), so that they are found again after everything here has ended: one small
 * file a task under `<state>/tasks/`. What is broken is a debug line, what has expired is removed. It asks no server.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { debug } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import { readOwn, writePrivate } from "../config/files.ts";
import { joinPath } from "../config/paths.ts";
import type { Session } from "../protocol/mcp.ts";

/** A task, and what is needed to reach its server again. */
export interface KeptTask {
  taskId: string;
  /** The server's configured name. */
  server: string;
  tool: string;
  /** The last that was seen of it. */
  status: string;
  /** When it was made, as a date. */
  at: string;
  /** How long the server keeps it from then on; null: it does not say. */
  ttlMs: number | null;
  /** The flags that named the server, as they were given. */
  flags: Record<string, string | boolean | string[]>;
  /** The server's command line, where it stood behind `--`. */
  rest?: string[];
  /** The folder in which the call was made. */
  cwd: string;
  /** The session that it is known in, and the server's address as it is configured: no other gets the id. */
  session?: Session & { url: string };
}

export interface TaskStore {
  /** Newest first. Never throws. */
  list(): Promise<KeptTask[]>;
  /** False: it could not be kept. Never throws. */
  keep(task: KeptTask): Promise<boolean>;
  /** Never throws. */
  forget(task: KeptTask): Promise<void>;
}

export interface TaskStoreOptions {
  /** Our state folder; undefined: there is none, and nothing is kept. */
  folder: string | undefined;
  log: Log;
  /** Milliseconds since the epoch. @default Date.now */
  now?: () => number;
}

/** Several processes may share a store: files are renamed into place. */
export function taskStore({ folder, log, now = Date.now }: TaskStoreOptions): TaskStore {
  const place = folder === undefined ? undefined : joinPath(folder, "tasks");
  const failed = (what: string, error: unknown) =>
    debug(log, undefined, () => `${what}: ${error instanceof Error ? error.message : error}`);
  const remove = async (path: string) => {
    const { rm } = await import("node:fs/promises");
    await rm(path, { force: true }).catch((error) => failed(`${path} is not removed`, error));
  };
  const read = async (path: string): Promise<KeptTask[]> => {
    try {
      const task = taskIn(JSON.parse(await readOwn(path, bytesMax)));
      if (now() < expiry(task)) return [task];
      await remove(path);
    } catch (error) {
      failed(`${path} is not read`, error);
    }
    return [];
  };
  return {
    async list() {
      if (place === undefined) return [];
      const { readdir } = await import("node:fs/promises");
      const names = await readdir(place).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") failed(`${place} is not read`, error);
        return [];
      });
      const files = names.filter((name) => fileName.test(name)).slice(0, filesMax);
      const tasks = await Promise.all(files.map((name) => read(joinPath(place, name))));
      return tasks.flat().toSorted((a, b) => (a.at < b.at ? 1 : -1));
    },
    async keep(task) {
      try {
        if (place === undefined) throw new Error("there is no folder for it");
        await writePrivate(joinPath(place, fileOf(task)), `${JSON.stringify(task)}\n`);
        return true;
      } catch (error) {
        failed(`task ${task.taskId} is not kept`, error);
        return false;
      }
    },
    async forget(task) {
      if (place !== undefined) await remove(joinPath(place, fileOf(task)));
    },
  };
}

// --- internal ---

const bytesMax = 1024 * 1024;
const filesMax = 10_000;
const fileName = /^[0-9a-f]{64}\.json$/;
/** A server that does not say how long it keeps a task will not do so for ever. */
const keptMs = 30 * 24 * 3_600_000;

/** Where a task with the same id on another server has another file. */
function fileOf({ taskId, server, flags, rest, cwd }: KeptTask): string {
  const hash = new Bun.CryptoHasher("sha256");
  return `${hash.update(JSON.stringify([taskId, server, flags, rest ?? null, cwd])).digest("hex")}.json`;
}

function expiry({ at, ttlMs }: KeptTask): number {
  return Date.parse(at) + Math.min(ttlMs ?? keptMs, keptMs);
}

/** @throws TypeError: it is none */
function taskIn(value: unknown): KeptTask {
  const task: JsonObject = isObject(value) ? value : {};
  const { ttlMs, flags, rest, session } = task;
  const texts = ["taskId", "server", "tool", "status", "at", "cwd"];
  const isTask =
    texts.every((key) => typeof task[key] === "string") &&
    !Number.isNaN(Date.parse(String(task.at))) &&
    (ttlMs === null || typeof ttlMs === "number") &&
    isObject(flags) &&
    Object.values(flags).every((flag) => typeof flag !== "object" || isTextList(flag)) &&
    (rest === undefined || isTextList(rest)) &&
    (session === undefined || (isObject(session) && isSession(session)));
  if (!isTask) throw new TypeError("it is no kept task");
  return task as unknown as KeptTask;
}

function isSession({ id, revision, url }: JsonObject): boolean {
  return [id, revision, url].every((value) => typeof value === "string");
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
