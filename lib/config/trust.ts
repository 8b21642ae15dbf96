/**
 * Which entries of found configs may start: kept by a hash of the whole entry as written and the folder of its file.
 * Any change to either asks again. `node:fs` is loaded only when something is written.
 */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { type Log, silent } from "../base/log.ts";
import { readText, writePrivate } from "./files.ts";
import { folderOf, joinPath } from "./paths.ts";
import type { ServerConfig } from "./types.ts";

export interface TrustRecord {
  name: string;
  folder: string;
  hash: string;
  /** When it was trusted: ISO 8601. */
  at: string;
}

export interface TrustStore {
  list(): Promise<TrustRecord[]>;
  isTrusted(server: ServerConfig): Promise<boolean>;
  /** False where it could not be kept: it holds for this run at most. */
  add(servers: readonly ServerConfig[]): Promise<boolean>;
  /**
   * Takes trust from all entries of a name (of one folder, if given); returns those that had it.
   * @throws HostError `output`: it could not be written, so they are still trusted
   */
  revoke(name: string, folder?: string): Promise<TrustRecord[]>;
}

export interface TrustOptions {
  /** Our state folder (`ourPaths`); undefined where there is none: then nothing is trusted for longer than a run. */
  folder: string | undefined;
  log?: Log;
  now?: () => Date;
}

/** Named and user's entries are trusted: a person chose them. */
export function needsTrust(server: ServerConfig): boolean {
  return server.origin.kind === "found";
}

/** SHA-256, in hex, over the entry as written (keys sorted, every digit kept) and the folder of its file. */
export function trustHash(entry: unknown, folder: string): string {
  return new Bun.CryptoHasher("sha256").update(canonical([folder, entry])).digest("hex");
}

/** The store in `folder`; a file that is broken or cannot be written is a debug line. */
export function trustStore({
  folder,
  log = silent,
  now = () => new Date(),
}: TrustOptions): TrustStore {
  const path = folder === undefined ? undefined : joinPath(folder, "trust.json");
  const read = async (): Promise<TrustRecord[]> => {
    try {
      const text = path === undefined ? undefined : await readText(path);
      return text === undefined ? [] : recordsOf(JSON.parse(text));
    } catch (error) {
      log({ level: "debug", text: `${path} is not read: ${String(error)}` });
      return [];
    }
  };
  const write = async (trusted: TrustRecord[]): Promise<void> => {
    if (path === undefined) throw new Error("there is no folder for it");
    await writePrivate(path, `${JSON.stringify({ trusted }, undefined, 2)}\n`);
  };
  return {
    list: read,
    async isTrusted(server) {
      const wanted = recordOf(server, "");
      return (await read()).some((record) => isSame(record, wanted) && record.hash === wanted.hash);
    },
    async add(servers) {
      const records = servers.map((server) => recordOf(server, now().toISOString()));
      const others = (await read()).filter((old) => !records.some((record) => isSame(old, record)));
      try {
        await write([...others, ...records]);
        return true;
      } catch (error) {
        log({ level: "debug", text: `trust is not kept: ${String(error)}` });
        return false;
      }
    },
    async revoke(name, of) {
      const all = await read();
      const taken = all.filter(
        (record) => record.name === name && (of ?? record.folder) === record.folder,
      );
      if (taken.length === 0) return taken;
      const kept = all.filter((record) => !taken.includes(record));
      await write(kept).catch((cause: unknown) => {
        throw new HostError("output", `${path} cannot be written: ${name} is still trusted`, {
          cause,
        });
      });
      return taken;
    },
  };
}

// --- internal ---

function recordOf(server: ServerConfig, at: string): TrustRecord {
  const folder = server.origin.file === undefined ? "" : folderOf(server.origin.file);
  return { name: server.name, folder, hash: trustHash(server.written, folder), at };
}

function isSame(a: TrustRecord, b: TrustRecord): boolean {
  return a.name === b.name && a.folder === b.folder;
}

function recordsOf(value: unknown): TrustRecord[] {
  if (!isObject(value) || !Array.isArray(value.trusted))
    throw new TypeError("no list of trusted entries");
  return value.trusted.filter((item) => {
    const record = isObject(item) ? item : {};
    return ["name", "folder", "hash", "at"].every((key) => typeof record[key] === "string");
  }) as unknown as TrustRecord[];
}

/** JSON with sorted keys, so that one value has one text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? "null";
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
