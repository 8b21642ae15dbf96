/**
 * Remembers what era a server speaks between runs: one small file per command line or URL under `<folder>/eras/`, so that
 * the next run saves the probe. A file that is broken, old or cannot be written is a debug line and never a failure.
 * Reading touches one file and imports nothing.
 */
import { errnoOf } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Verdict } from "./connect-types.ts";

export interface VerdictStoreOptions {
  /** Our cache folder; made (0700) when something is first written. */
  folder: string;
  /** Is told what fails. @default nobody is */
  log?: Log;
  /** Milliseconds since the epoch. @default Date.now */
  now?: () => number;
  /** How many verdicts are kept; the oldest go when one is written, and now and then when one is noted. @default 500 */
  filesMax?: number;
}

/** None of it throws. */
export interface VerdictStore {
  read(key: string): Promise<Verdict | undefined>;
  /** Keeps a verdict for 7 days; a `stale` one is forgotten instead. */
  write(key: string, verdict: Verdict): Promise<void>;
  /**
   * As `write`, for a process that does nothing else by now: it loads nothing (`node:fs` takes as long as all else of a
   * plain call), but for one time in 64, when the folder is looked through.
   */
  note(key: string, verdict: Verdict): Promise<void>;
}

/**
 * The key of a server's verdict: the same command line, the same server. Of a URL its path counts as well (one origin may
 * have several servers) and its query and credentials do not; so does the transport that was asked for.
 */
export function verdictKey(
  server: { command: string; args: readonly string[] } | { url: string; transport: string },
): string {
  if ("command" in server) return hash(JSON.stringify([server.command, server.args]));
  return hash(JSON.stringify({ url: addressOf(server.url), transport: server.transport }));
}

/** The store in one folder. Several processes may share it: files are renamed into place, or made whole. */
export function verdictStore(options: VerdictStoreOptions): VerdictStore {
  const { folder, log, now = Date.now, filesMax = 500 } = options;
  const eras = `${folder}/eras`;
  const failed = (what: string, error: unknown) =>
    log?.({ level: "debug", text: `era verdict not ${what}: ${reasonOf(error)}` });
  return {
    async read(key) {
      try {
        const text = await readText(`${eras}/${fileOf(key)}`);
        return verdictIn(JSON.parse(text), now());
      } catch (error) {
        if (errnoOf(error) !== "ENOENT") failed("read", error);
        return undefined;
      }
    },
    async write(key, verdict) {
      try {
        const file = `${eras}/${fileOf(key)}`;
        const fs = process.getBuiltinModule("node:fs");
        fs.mkdirSync(eras, { recursive: true, mode: 0o700 });
        if (verdict.stale) return fs.rmSync(file, { force: true });
        replace(fs, file, textOf(verdict, now()));
        prune(fs, eras, { now: now(), filesMax });
      } catch (error) {
        failed("written", error);
      }
    },
    async note(key, verdict) {
      if (verdict.stale || Math.random() < 1 / 64) return await this.write(key, verdict);
      // Files and folders are made for us alone.
      const mask = process.umask(0o077);
      try {
        const file = Bun.file(`${eras}/${fileOf(key)}`);
        // Whatever is there (it may be a link): it is not written into.
        await file.delete().catch(() => {});
        await Bun.write(file, textOf(verdict, now()));
      } catch (error) {
        failed("written", error);
      } finally {
        process.umask(mask);
      }
    },
  };
}

// --- internal ---

const keptMs = 7 * 24 * 3_600_000;
const bytesMax = 4096;

function addressOf(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: url, pathname: "" };
  return origin + pathname;
}

/** Not a cryptographic one, which costs a page fault after the other: a wrong verdict only costs a probe. */
function hash(text: string): string {
  // Numbers as they are, of 31 bits: to pad them, or to write larger ones, costs as much as all else here.
  const part = (seed: number) => Bun.hash.xxHash32(text, seed) >>> 1;
  return `${part(0)}-${part(1)}-${part(2)}-${part(3)}`;
}

/** Mapped where that is possible, which a pipe is not: reading would start threads, for a few bytes. */
async function readText(path: string): Promise<string> {
  if (process.platform === "win32") return await Bun.file(path).slice(0, bytesMax).text();
  const bytes = Bun.mmap(path);
  if (bytes.length > bytesMax) throw new Error("it is no small file");
  return new TextDecoder().decode(bytes);
}

/** The text of a file. */
function textOf({ era, revision, server, transport, capabilities }: Verdict, at: number): string {
  const kept = { at, era, revision, server, transport };
  const whole = JSON.stringify({ ...kept, capabilities });
  return whole.length > bytesMax / 4 ? JSON.stringify(kept) : whole;
}

/** Others see the old file or the new one. @throws the system's error, and leaves nothing */
function replace(fs: typeof import("node:fs"), file: string, text: string): void {
  const temporary = `${file}.${crypto.randomUUID()}`;
  try {
    fs.writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    fs.renameSync(temporary, file);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A key is a file name only if it looks like one of ours. */
function fileOf(key: string): string {
  for (let at = 0; at < key.length; at += 1)
    if (!"0123456789-".includes(key.charAt(at))) return hash(key);
  return key === "" ? hash(key) : key;
}

/** The verdict in a file, unless it is too old, of the future (a clock that was wrong), or not one of ours. */
function verdictIn(value: unknown, now: number): Verdict | undefined {
  if (!isObject(value)) throw new Error("not an object");
  const { at, era, revision, server, transport, capabilities } = value;
  if (typeof at !== "number" || typeof revision !== "string") throw new Error("not a verdict");
  if (era !== "legacy" && era !== "modern") throw new Error("not a verdict");
  if (at > now || now - at > keptMs) return undefined;
  return {
    era,
    revision,
    ...(typeof server === "string" && { server }),
    ...(transport === "sse" && { transport }),
    ...(capabilities !== undefined && isObject(capabilities) && { capabilities }),
  };
}

/** Removes what has expired (temporary files that were left, too), and the oldest beyond the bound. */
function prune(
  fs: typeof import("node:fs"),
  folder: string,
  bounds: { now: number; filesMax: number },
): void {
  const ours = fs.readdirSync(folder).filter((name) => /^[0-9a-f-]{7,43}(\.|$)/.test(name));
  const aged = ours.map((name) => {
    const path = `${folder}/${name}`;
    return { path, at: fs.lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  aged.sort((a, b) => b.at - a.at);
  const gone = aged.filter(({ at }, i) => i >= bounds.filesMax || bounds.now - at > keptMs);
  for (const { path } of gone) fs.rmSync(path, { force: true });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
