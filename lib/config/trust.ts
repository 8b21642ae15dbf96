/**
 * Which entries of found configs may start: kept by a hash of the whole entry as written and the folder of its file.
 * Any change to either asks again. Each entry is a file of its own, so that programs which trust and revoke at once
 * never undo each other's word. `node:fs` is loaded only when something is written or listed.
 */
import { canonicalJson } from "../base/canonical.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { type Log, silent } from "../base/log.ts";
import { readOwn, writePrivate } from "./files.ts";
import type { Origin } from "./origin.ts";
import { folderOf, joinPath } from "./paths.ts";
import type { ServerConfig } from "./types.ts";

export interface TrustRecord {
  name: string;
  folder: string;
  hash: string;
  /** When it was trusted: ISO 8601. */
  at: string;
}

/** What may be trusted: a server's entry, or a plugin's with the hash of its file. */
export interface Trusted {
  name: string;
  origin: Origin;
  /** All of it that counts: any change to it asks again. */
  written: unknown;
}

export interface TrustStore {
  list(): Promise<TrustRecord[]>;
  isTrusted(entry: Trusted): Promise<boolean>;
  /** False where it could not be kept: it holds for this run at most. */
  add(entries: readonly Trusted[]): Promise<boolean>;
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
  return new Bun.CryptoHasher("sha256").update(canonicalJson([folder, entry])).digest("hex");
}

/** The store in `folder`; a file that is broken or cannot be written is a debug line. */
export function trustStore({
  folder,
  log = silent,
  now = () => new Date(),
}: TrustOptions): TrustStore {
  const place = folder === undefined ? undefined : joinPath(folder, "trust");
  const debug = (text: string) => log({ level: "debug", text });
  /** Undefined where nothing readable is. */
  const read = async (path: string): Promise<TrustRecord | undefined> => {
    try {
      return toRecord(JSON.parse(await readOwn(path, bytesMax)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      debug(`${path} is not read: ${String(error)}`);
      return undefined;
    }
  };
  /** @throws the system's error */
  const readAll = async (): Promise<TrustRecord[]> => {
    if (place === undefined) return [];
    const names = (await namesIn(place)).filter((name) => fileName.test(name));
    const records = await Promise.all(names.map((name) => read(joinPath(place, name))));
    return records.filter((record) => record !== undefined).toSorted(byName);
  };
  return {
    async list() {
      try {
        return await readAll();
      } catch (error) {
        debug(`${place} is not read: ${String(error)}`);
        return [];
      }
    },
    async isTrusted(entry) {
      if (place === undefined) return false;
      const wanted = recordOf(entry, "");
      const kept = await read(fileOf(wanted, place));
      return kept !== undefined && isSame(kept, wanted) && kept.hash === wanted.hash;
    },
    async add(entries) {
      try {
        if (place === undefined) throw new Error("there is no folder for it");
        for (const entry of entries) {
          const record = recordOf(entry, now().toISOString());
          await writePrivate(fileOf(record, place), `${JSON.stringify(record, undefined, 2)}\n`);
        }
        return true;
      } catch (error) {
        debug(`trust is not kept: ${String(error)}`);
        return false;
      }
    },
    async revoke(name, of) {
      try {
        const taken = (await readAll()).filter(
          (record) => record.name === name && (of ?? record.folder) === record.folder,
        );
        for (const record of taken) await remove(fileOf(record, place ?? ""));
        return taken;
      } catch (cause) {
        if (isHostError(cause)) throw cause;
        const text = `${place} cannot be changed: ${name} may still be trusted`;
        const hint = "the folder (mcphost config --paths, state) must be writable";
        throw new HostError("output", text, { hint, cause });
      }
    },
  };
}

// --- internal ---

function recordOf({ name, origin, written }: Trusted, at: string): TrustRecord {
  const folder = origin.file === undefined ? "" : folderOf(origin.file);
  return { name, folder, hash: trustHash(written, folder), at };
}

function isSame(a: TrustRecord, b: TrustRecord): boolean {
  return a.name === b.name && a.folder === b.folder;
}

function byName(a: TrustRecord, b: TrustRecord): number {
  return a.name.localeCompare(b.name) || a.folder.localeCompare(b.folder);
}

const bytesMax = 1024 * 1024;
const fileName = /^[0-9a-f]{64}\.json$/;

/** One file for each entry of each folder: to trust it again replaces what was trusted, to revoke it removes the file. */
function fileOf({ name, folder }: TrustRecord, place: string): string {
  return joinPath(place, `${trustHash(name, folder)}.json`);
}

async function namesIn(place: string): Promise<string[]> {
  const { readdir } = await import("node:fs/promises");
  return await readdir(place).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
}

/** Gone already is as good. */
async function remove(path: string): Promise<void> {
  const { rm } = await import("node:fs/promises");
  await rm(path, { force: true });
}

function toRecord(value: unknown): TrustRecord {
  const record = isObject(value) ? value : {};
  if (!["name", "folder", "hash", "at"].every((key) => typeof record[key] === "string"))
    throw new TypeError("it is no trusted entry");
  return record as unknown as TrustRecord;
}
