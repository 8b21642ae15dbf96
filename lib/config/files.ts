/**
 * Our own small files: read whole within a bound, written atomically and for our user alone. `node:fs` is loaded only
 * when something is written.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { folderOf } from "./paths.ts";

/** Some hosts keep their history in their config file, so this is generous. */
const readBytesMax = 32 * 1024 * 1024;

/**
 * The text of a file; undefined where there is none.
 * @throws HostError `config`: it cannot be read, is larger than 32 MiB, or is not UTF-8
 */
export async function readText(path: string, label: string = path): Promise<string | undefined> {
  const file = Bun.file(path);
  const facts = { file: path };
  let bytes: Uint8Array;
  try {
    if (file.size > readBytesMax && Number.isFinite(file.size)) throw tooLarge(label, path);
    bytes = await file.bytes();
  } catch (cause) {
    if (isHostError(cause)) throw cause;
    if (codeOf(cause) === "ENOENT" || codeOf(cause) === "ENOTDIR") return undefined;
    throw new HostError("config", `${label} cannot be read (${codeOf(cause)})`, { facts, cause });
  }
  if (bytes.length > readBytesMax) throw tooLarge(label, path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HostError("config", `${label} is not UTF-8 text`, { facts, cause });
  }
}

/**
 * Writes a file so that readers see the old text or the new one, never a part: a temporary file beside it, renamed.
 * Mode 0600; folders that are missing are made with 0700. A symbolic link stays one: its target is replaced.
 * @throws the system's error
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const fs = await import("node:fs/promises");
  await fs.mkdir(folderOf(path), { recursive: true, mode: 0o700 });
  const target = await fs.realpath(path).catch(() => path);
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    await fs.writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await fs.rename(temporary, target);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

// --- internal ---

function tooLarge(label: string, path: string): HostError {
  return new HostError("config", `${label} is larger than ${readBytesMax} bytes`, {
    facts: { file: path },
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown";
}
