/**
 * Binaries of a result kept in files. Names come from us and never from a server's paths, nothing that exists is
 * overwritten by `saveAll`, and base64 that is none fails here and nowhere earlier.
 */
import { errnoOf, HostError } from "../base/errors.ts";
import type { ContentBlock } from "../protocol/content.ts";

/** A picture, sound or other blob, not decoded. */
export type Binary = Extract<ContentBlock, { base64: string }>;

/** The bytes of a binary. @throws HostError `output` */
export function decode(binary: Binary): Uint8Array<ArrayBuffer> {
  for (const alphabet of ["base64", "base64url"] as const) {
    try {
      return Uint8Array.fromBase64(binary.base64, { alphabet });
    } catch {
      // The other alphabet, or none.
    }
  }
  throw new HostError("output", `the ${binary.kind} that the server sent is not base64`, {
    hint: "the call itself was done; --json prints the result as it came",
  });
}

/** A file that the user named, and where that is meant from. */
interface Place {
  path: string;
  cwd: string;
  /** Missing folders are made. */
  createPath: boolean;
}

/** Writes it; what was there is replaced. @throws HostError `output` */
export async function writeTo(
  { path, cwd, createPath }: Place,
  data: string | Uint8Array<ArrayBuffer>,
): Promise<void> {
  try {
    await Bun.write(under(cwd, path), data, { createPath });
  } catch (cause) {
    const isNowhere = !createPath && errnoOf(cause) === "ENOENT";
    const folder = path.slice(0, path.lastIndexOf("/")) || "/";
    throw unwritten(path, cause, isNowhere ? `there is no folder ${folder}` : undefined);
  }
}

/**
 * Writes each binary to a new file and returns the paths; where anything is, a link to nowhere too, the next number is
 * taken. @throws HostError `output`
 */
export async function saveAll(
  binaries: readonly Binary[],
  place: { folder: string; cwd: string; tool: string },
): Promise<string[]> {
  const stem = place.tool.replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 60) || "tool";
  const paths: string[] = [];
  let number = 0;
  for (const binary of binaries) {
    const bytes = decode(binary);
    const ending = endingOf(binary, bytes);
    let path: string;
    do path = `${place.folder.replace(/(?<=.)\/+$/, "")}/${stem}-${++number}${ending}`;
    while (!(await writeNew(path, place.cwd, bytes)));
    paths.push(path);
  }
  return paths;
}

/** By the declared type, else by the first bytes, else by the name in the URI; `.bin` when nothing tells. */
export function endingOf(
  { mimeType, uri }: Pick<Binary, "mimeType" | "uri">,
  bytes: Uint8Array,
): string {
  const declared = endings.get((mimeType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "");
  if (declared !== undefined) return declared;
  return sniff(bytes) ?? /\.[A-Za-z0-9]{1,8}(?=$|[?#])/.exec(uri ?? "")?.[0] ?? ".bin";
}

// --- internal ---

const endings: ReadonlyMap<string, string> = new Map([
  ["image/png", ".png"],
  ["image/jpeg", ".jpg"],
  ["image/jpg", ".jpg"],
  ["image/gif", ".gif"],
  ["image/webp", ".webp"],
  ["image/avif", ".avif"],
  ["image/bmp", ".bmp"],
  ["image/tiff", ".tiff"],
  ["image/svg+xml", ".svg"],
  ["image/x-icon", ".ico"],
  ["audio/mpeg", ".mp3"],
  ["audio/mp3", ".mp3"],
  ["audio/wav", ".wav"],
  ["audio/x-wav", ".wav"],
  ["audio/wave", ".wav"],
  ["audio/ogg", ".ogg"],
  ["audio/flac", ".flac"],
  ["audio/aac", ".aac"],
  ["audio/mp4", ".m4a"],
  ["audio/webm", ".weba"],
  ["video/mp4", ".mp4"],
  ["video/webm", ".webm"],
  ["application/pdf", ".pdf"],
  ["application/zip", ".zip"],
  ["application/gzip", ".gz"],
  ["application/json", ".json"],
  ["application/wasm", ".wasm"],
  ["text/plain", ".txt"],
  ["text/html", ".html"],
  ["text/css", ".css"],
  ["text/csv", ".csv"],
  ["text/markdown", ".md"],
]);

/** What files of a kind begin with, in Latin-1; a RIFF file says at 8 what it holds. */
const magic: readonly (readonly [start: string, ending: string])[] = [
  ["\x89PNG", ".png"],
  ["\xff\xd8\xff", ".jpg"],
  ["GIF8", ".gif"],
  ["OggS", ".ogg"],
  ["fLaC", ".flac"],
  ["ID3", ".mp3"],
  ["%PDF-", ".pdf"],
  ["PK\x03\x04", ".zip"],
  ["\x1f\x8b", ".gz"],
  ["WEBP", ".webp"],
  ["WAVE", ".wav"],
];

function sniff(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  const telling = head.startsWith("RIFF") ? head.slice(8) : head;
  return magic.find(([start]) => telling.startsWith(start))?.[1];
}

/** False: something is there already. @throws HostError `output` */
async function writeNew(path: string, cwd: string, bytes: Uint8Array): Promise<boolean> {
  const whole = under(cwd, path);
  const fs = await import("node:fs/promises");
  try {
    await fs.mkdir(whole.slice(0, whole.lastIndexOf("/")) || "/", { recursive: true });
  } catch (cause) {
    throw unwritten(path, cause);
  }
  try {
    await fs.writeFile(whole, bytes, { flag: "wx" });
    return true;
  } catch (cause) {
    if (errnoOf(cause) === "EEXIST") return false;
    throw unwritten(path, cause);
  }
}

function unwritten(path: string, cause: unknown, why?: string): HostError {
  const reason = why ?? (cause instanceof Error ? cause.message : String(cause));
  return new HostError("output", `${path} cannot be written: ${reason}`, {
    facts: { file: path },
    cause,
    hint: "the call itself was done; it was not repeated",
  });
}

function under(cwd: string, path: string): string {
  return path.startsWith("/") ? path : `${cwd}/${path}`;
}
