/** Bodies of requests: their type, their size (counted while they are read) and their JSON. It reads one, and only once. */
import { settlesWithin } from "../base/async.ts";
import type { Deadlines } from "../base/deadlines.ts";
import type { Json } from "../base/json.ts";
import { HttpError } from "./http-error.ts";
import { readJson } from "./read-json.ts";

export interface BodyLimits {
  /** @default 16 MiB */
  bytesMax: number;
  /** The longest that a body may take to come, whole. @default 60000 */
  timeMs: number;
  /** Those that come whole, of that time. */
  reading: Deadlines;
}

/** The text of a body that says it is JSON. @throws HttpError 400 · 408 · 413 · 415 */
export async function bodyText(request: Request, limits: BodyLimits): Promise<string> {
  const type = request.headers.get("content-type");
  if (type === null || !json.test(type))
    throw new HttpError(415, "unsupported_media_type", "a body must be application/json", {
      hint: "send Content-Type: application/json",
    });
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limits.bytesMax) throw tooLarge(limits);
  const isSized = length !== null && !request.headers.has("transfer-encoding");
  const bytes = isSized ? await wholeOf(request, limits) : await bytesOf(request, limits);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError(400, "bad_request", "the body is not UTF-8");
  }
}

/** @throws HttpError 400 */
export function jsonOf(text: string): Json {
  try {
    return readJson(text);
  } catch (error) {
    const why =
      error instanceof SyntaxError ? `: ${error.message.replace(/^JSON Parse error: /, "")}` : "";
    throw new HttpError(400, "bad_request", `the body is not JSON${why}`);
  }
}

// --- internal ---

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

const json = /^application\/json\s*(;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** A body that says its length: no more of it is ever read, and at once it costs a fraction of piece by piece. */
function wholeOf(request: Request, { timeMs, reading }: BodyLimits): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const due = { at: performance.now(), expire: () => reject(tooSlow(timeMs)) };
    reading.add(due);
    request.bytes().then(
      (bytes) => {
        reading.delete(due);
        return resolve(bytes);
      },
      () => {
        reading.delete(due);
        return reject(brokenOff());
      },
    );
  });
}

async function bytesOf(request: Request, limits: BodyLimits): Promise<Uint8Array> {
  const { body } = request;
  if (body === null) return new Uint8Array();
  const reader: Reader = body.getReader();
  const work = collect(reader, limits);
  if (await settlesWithin(work, limits.timeMs)) return await work;
  work.catch(() => {});
  await reader.cancel().catch(() => {});
  throw tooSlow(limits.timeMs);
}

async function collect(reader: Reader, limits: BodyLimits): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  while (true) {
    const { done, value } = await reader.read().catch(() => {
      throw brokenOff();
    });
    if (done) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
    size += value.length;
    if (size > limits.bytesMax) {
      void reader.cancel().catch(() => {});
      throw tooLarge(limits);
    }
    chunks.push(value);
  }
}

/** The rest of it is not read: the connection ends with the answer. */
function tooLarge({ bytesMax }: BodyLimits): HttpError {
  return new HttpError(413, "too_large", `the body is larger than ${bytesMax} bytes`, {
    headers: { connection: "close" },
  });
}

function tooSlow(timeMs: number): HttpError {
  return new HttpError(408, "request_timeout", `the body took longer than ${timeMs} ms`, {
    headers: { connection: "close" },
  });
}

function brokenOff(): HttpError {
  return new HttpError(400, "bad_request", "the body broke off");
}
