/**
 * A config file as one that several may edit: read with a revision, and replaced only where it is still that revision. Links
 * stay links, and the mode stays what it was. It knows nothing of what stands in the file.
 */
import type { FileHandle } from "node:fs/promises";

import { sleep } from "../base/async.ts";
import { errnoOf, HostError, isHostError } from "../base/errors.ts";
import type { EditProblem } from "./edit.ts";
import { folderOf } from "./paths.ts";

/** A file as it stood at one moment. */
export interface Revised {
  /** Undefined: there is none. */
  text: string | undefined;
  /** Of its bytes; another where any of them is. */
  revision: string;
}

/** @throws HostError `usage` (it is no regular file, or larger than 32 MiB), `config` (it cannot be read, or is not UTF-8) */
export async function readRevised(path: string, label: string): Promise<Revised> {
  const file = Bun.file(path);
  let bytes: Uint8Array;
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > bytesMax)
      throw refused(
        "file",
        `${label} is no file that can be edited: it is a device, a pipe, or too large`,
      );
    bytes = await file.bytes();
  } catch (cause) {
    if (errnoOf(cause) === "ENOENT") return { text: undefined, revision: none };
    if (isHostError(cause)) throw cause;
    throw new HostError("config", `${label} cannot be read (${errnoOf(cause) ?? "unknown"})`, {
      cause,
    });
  }
  try {
    // A byte order mark is kept.
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return { text, revision: revisionOf(bytes) };
  } catch (cause) {
    throw new HostError("config", `${label} is not UTF-8 text`, { facts: { file: path }, cause });
  }
}

/**
 * Puts a new text in the place of the one of `revision`, and gives its revision: a temporary file beside it, renamed over
 * it, so that readers see the old text or the new one. Of us only one at a time has that file, whatever the process, and
 * compares the bytes right before the rename; what is left is the moment between the two, in which an editor that knows
 * nothing of us could still be overwritten.
 * @throws HostError `usage` with `facts.problem` `stale` and `facts.revision`, `output` (it cannot be written)
 */
export async function replaceText(
  path: string,
  text: string,
  { label, revision }: { label: string; revision: string },
): Promise<string> {
  const fs = await import("node:fs/promises");
  const bytes = new TextEncoder().encode(text);
  try {
    // What a link points to is written, and the link stays.
    const real = await fs.realpath(path).catch(() => path);
    const mode = await fs.stat(real).then(
      (stat) => stat.mode & 0o7777,
      () => 0o600,
    );
    await fs.mkdir(folderOf(real), { recursive: true, mode: 0o700 });
    const temporary = `${real}.mcphost.tmp`;
    await using file = await claim(temporary, mode);
    try {
      // Whatever the umask is.
      await file.chmod(mode);
      await file.writeFile(bytes);
      // A crash leaves the old file or the new one.
      await file.sync();
      const now = (await readRevised(real, label)).revision;
      if (now !== revision) throw stale(label, now);
      await fs.rename(temporary, real);
    } catch (error) {
      await fs.rm(temporary, { force: true });
      throw error;
    }
  } catch (cause) {
    if (isHostError(cause)) throw cause;
    throw new HostError("output", `${label} cannot be written (${errnoOf(cause) ?? "unknown"})`, {
      facts: { file: path },
      cause,
    });
  }
  return revisionOf(bytes);
}

/** The file is another than the one that was edited. */
export function stale(label: string, revision: string): HostError {
  return refused("stale", `${label} was changed by somebody else meanwhile`, { revision });
}

// --- internal ---

const bytesMax = 32 * 1024 * 1024;
/** The revision of a file that is not there. */
const none = "none";

/** How long somebody else may take, and how old a file is that a crash has left. */
const claimMs = 1000;
const abandonedMs = 10_000;

/** A file that nobody else has as long as it is there. @throws the system's error */
async function claim(path: string, mode: number): Promise<FileHandle> {
  const fs = await import("node:fs/promises");
  const until = performance.now() + claimMs;
  while (true) {
    try {
      return await fs.open(path, "wx", mode);
    } catch (error) {
      if (errnoOf(error) !== "EEXIST" || performance.now() > until) throw error;
    }
    // One of the future comes from a clock that was wrong.
    const age = await fs.stat(path).then(
      ({ mtimeMs }) => Math.abs(Date.now() - mtimeMs),
      () => 0,
    );
    if (age > abandonedMs) await fs.rm(path, { force: true });
    else await sleep(20);
  }
}

function revisionOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32);
}

function refused(problem: EditProblem, message: string, facts: object = {}): HostError {
  return new HostError("usage", message, { facts: { problem, ...facts } });
}
