/**
 * Small files. A person's are read whole within a bound, whatever they are: a link or a pipe as well. Our own (cache,
 * state) are regular files, written atomically and for our user alone, and never through a link. `node:fs` is loaded
 * only when something is written.
 */
import { errnoOf, HostError } from "../base/errors.ts";
import { folderOf } from "./paths.ts";

/** Some hosts keep their history in their config file, so this is generous. */
const configBytesMax = 32 * 1024 * 1024;
/** What becomes an argument or a variable is short. */
const valueBytesMax = 1024 * 1024;
/** How long a pipe may take: one that nobody writes to never ends. */
const pipeTimeoutMs = 5000;

/**
 * The text of a file or of a pipe (`<(…)`, `/dev/stdin`); undefined where there is none.
 * @throws HostError `config`: it cannot be read, is neither, is larger than 32 MiB, takes more than 5 s, or is not UTF-8
 */
export async function readText(path: string, label: string = path): Promise<string | undefined> {
  return await readWithin(configBytesMax, path, label);
}

/** As `readText`, for `${file:…}` and env files: at most 1 MiB. */
export async function readValue(path: string): Promise<string | undefined> {
  return await readWithin(valueBytesMax, path, path);
}

/**
 * The text of a file of our own. What is no regular file by now is not read, so that nothing waits for a pipe or reads
 * a device without end.
 * @throws Error: there is none, it is larger than `bytesMax` bytes, or is no regular file
 */
export async function readOwn(path: string, bytesMax: number): Promise<string> {
  const file = Bun.file(path);
  // Without end for what is no regular file. Asked so because it costs no `node:fs`.
  if (file.size > bytesMax) throw new Unreadable(`it is no file of at most ${bytesMax} bytes`);
  return await file.slice(0, bytesMax).text();
}

/**
 * Writes a file of our own so that readers see the old text or the new one, never a part: a temporary file beside it,
 * renamed over whatever is there. A link is replaced itself, never what it points to. Mode 0600; folders that are
 * missing are made with 0700.
 * @throws the system's error
 */
export async function writePrivate(path: string, text: string): Promise<void> {
  const fs = await import("node:fs/promises");
  await fs.mkdir(folderOf(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await fs.writeFile(temporary, text, { mode: 0o600, flag: "wx" });
    await fs.rename(temporary, path);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
}

// --- internal ---

async function readWithin(
  bytesMax: number,
  path: string,
  label: string,
): Promise<string | undefined> {
  const facts = { file: path };
  let bytes: Uint8Array;
  try {
    bytes = await readBytes(path, bytesMax);
  } catch (cause) {
    const code = errnoOf(cause);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    const why = cause instanceof Unreadable ? `: ${cause.message}` : ` (${code ?? "unknown"})`;
    throw new HostError("config", `${label} cannot be read${why}`, { facts, cause });
  }
  if (bytes.length > bytesMax)
    throw new HostError("config", `${label} is larger than ${bytesMax} bytes`, { facts });
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new HostError("config", `${label} is not UTF-8 text`, { facts, cause });
  }
}

/** Counts while it reads, and gives one byte more than the bound at least where there is more: sizes of files lie. */
async function readBytes(path: string, bytesMax: number): Promise<Uint8Array> {
  const file = Bun.file(path);
  const stat = await file.stat();
  if (stat.isFile()) return await file.slice(0, bytesMax + 1).bytes();
  if (stat.isFIFO() || stat.isSocket()) return await readPipe(file.stream(), bytesMax);
  throw new Unreadable(`it is a ${stat.isDirectory() ? "directory" : "device"}, not a file`);
}

async function readPipe(stream: ReadableStream<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const reader = stream.getReader();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Unreadable(`nothing ended this pipe within ${pipeTimeoutMs} ms`)),
    pipeTimeoutMs,
  );
  const chunks: Uint8Array[] = [];
  try {
    for (let length = 0; length <= bytesMax;) {
      const { done, value } = await Promise.race([reader.read(), late.promise]);
      if (done) break;
      chunks.push(value);
      length += value.length;
    }
    return Buffer.concat(chunks);
  } finally {
    clearTimeout(timer);
    void reader.cancel().catch(() => undefined);
  }
}

/** Says why there is nothing to read. */
class Unreadable extends Error {}
