/**
 * Tells when config files changed, also where an editor puts a new file in the place of the old one, or a link is turned:
 * their folders are watched, and the files looked at when something happened there; now and then in any case, since a folder
 * may be another by then, or on a disk of which nobody hears. It reads none of them.
 */
import type { FSWatcher } from "node:fs";

import { debug, type Log } from "../base/log.ts";
import { folderOf } from "../config/paths.ts";

export interface WatchOptions {
  log: Log;
  /** Called once after the last of several changes; of those that do not end, now and then. */
  onChange: () => void;
  /** How long nothing may have happened in between, in milliseconds. @default 100 */
  quietMs?: number;
  /** How often the files are looked at although nothing was heard, in milliseconds. @default 5000 */
  everyMs?: number;
}

export class FilesWatch implements Disposable {
  readonly #options: WatchOptions;
  /** By folder, and which folder of that name it was. */
  readonly #watchers = new Map<string, { watcher: FSWatcher; folder: string }>();
  readonly #looking: ReturnType<typeof setInterval>;
  /** The files, each with what it was when it was looked at last. */
  #seen = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Since when something changes that may change on. */
  #movingSince: number | undefined;
  #isOver = false;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#looking = setInterval(() => this.#wake(), options.everyMs ?? 5000);
    this.#looking.unref();
  }

  /**
   * From now on these are watched. A folder that cannot be is no error: its files are looked at.
   * @param since when they were read: what changed later is told of (milliseconds since the epoch)
   */
  async follow(files: readonly string[], since: number): Promise<void> {
    const kinds = await Promise.all(files.map(async (file) => [file, await markOf(file)] as const));
    // A pipe is read once.
    const regular = kinds.flatMap(([file, mark]) => (mark === noFile ? [] : [file]));
    await this.#watchAll(regular);
    if (this.#isOver) return;
    const marks = await Promise.all(
      regular.map(
        async (file) => [file, this.#seen.get(file) ?? (await markOf(file, since))] as const,
      ),
    );
    this.#seen = new Map(marks);
    if (marks.some(([, mark]) => mark === unknown)) this.#wake();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    for (const { watcher } of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  // --- internal ---

  /** The folders in which something happens when a file, or what a link points to, is another. */
  async #watchAll(files: readonly string[]): Promise<void> {
    const fs = await import("node:fs");
    const reals = await Promise.all(
      files.map((file) => fs.promises.realpath(file).catch(() => file)),
    );
    if (this.#isOver) return;
    const names = [...new Set([...files, ...reals].map(folderOf))];
    const folders = new Map(
      await Promise.all(names.map(async (name) => [name, await folderMarkOf(name)] as const)),
    );
    if (this.#isOver) return;
    for (const [name, { watcher, folder }] of this.#watchers) {
      // One that took its place is another: the watcher stays with the first, wherever that is now.
      if (folders.get(name) === folder) continue;
      watcher.close();
      this.#watchers.delete(name);
    }
    for (const [name, folder] of folders)
      if (folder !== undefined && !this.#watchers.has(name)) this.#watch(name, folder, fs.watch);
  }

  #watch(name: string, folder: string, watch: typeof import("node:fs").watch): void {
    const { log } = this.#options;
    const failed = (error: unknown) => {
      this.#watchers.delete(name);
      const why = error instanceof Error ? error.message : String(error);
      debug(log, undefined, () => `${name} is not watched, its files are looked at: ${why}`);
    };
    try {
      const watcher = watch(name, { persistent: false }, () => this.#wake());
      watcher.on("error", failed);
      this.#watchers.set(name, { watcher, folder });
      debug(log, undefined, () => `${name} is watched`);
    } catch (error) {
      failed(error);
    }
  }

  #wake(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#quietMs);
  }

  get #quietMs(): number {
    return this.#options.quietMs ?? 100;
  }

  /** Other files of the folder change as well, perhaps all the time. */
  async #look(): Promise<void> {
    await this.#watchAll([...this.#seen.keys()]);
    let isOther = false;
    for (const [file, before] of this.#seen) {
      const now = await markOf(file);
      this.#seen.set(file, now);
      isOther ||= now !== before;
    }
    this.#timer = undefined;
    if (this.#isOver) return;
    const now = performance.now();
    const since = this.#movingSince;
    const isLong = since !== undefined && now - since > patienceTimes * this.#quietMs;
    this.#movingSince = isOther ? (isLong ? now : (since ?? now)) : undefined;
    // What is being written is looked at again.
    if (isOther) this.#wake();
    if (since === undefined || (isOther && !isLong)) return;
    this.#options.onChange();
  }
}

// --- internal ---

/** So many times longer than it has to be quiet, it may change until it is told of all the same. */
const patienceTimes = 20;

/** Of what is there and no file. */
const noFile = "no file";

/** Of what is not as it was read, perhaps. */
const unknown = "unknown";

/** Another for another folder of the same name; undefined where there is none. */
async function folderMarkOf(name: string): Promise<string | undefined> {
  const stat = await Bun.file(name)
    .stat()
    .catch(() => undefined);
  return stat && `${stat.dev} ${stat.ino} ${stat.birthtimeMs}`;
}

/** Another for another file, or other bytes in it, as far as the system tells. */
async function markOf(file: string, since = Number.POSITIVE_INFINITY): Promise<string> {
  try {
    const stat = await Bun.file(file).stat();
    if (!stat.isFile()) return noFile;
    if (stat.ctimeMs >= since) return unknown;
    return `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
  } catch {
    return "gone";
  }
}
