/** Bodies of requests: their type, their size (counted while they are read) and their JSON. It reads one, and only once. */
import { settlesWithin } from "../base/async.ts";
import type { Deadlines } from "../base/deadlines.ts";
import type { Json } from "../base/json.ts";
import { HttpError, isHttpError } from "./http-error.ts";
import { readJson } from "./read-json.ts";

export interface BodyLimits {
  /** @default 16 MiB */
  bytesMax: number;
  /** The longest that a body may take to come, whole. @default 60000 */
  timeMs: number;
  /** Those that come whole and did not at once, of that time. */
  reading: Deadlines;
}

/**
 * The body of a request that says it is JSON, on its way. One that says its length is read at once, for no more of it ever
 * comes: that costs a fraction of piece by piece.
 */
export class Body {
  readonly #limits: BodyLimits;
  readonly #bytes: Promise<Uint8Array>;
  /** Gives it up, where it is read at once. */
  readonly #reject: ((error: HttpError) => void) | undefined;

  /** Begins to read it. @throws HttpError 413 · 415 */
  constructor(request: Request, limits: BodyLimits) {
    this.#limits = limits;
    if (!isSized(request, limits)) {
      this.#bytes = bytesOf(request, limits);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#bytes = promise;
    this.#reject = reject;
    request.bytes().then(resolve, reject);
  }

  /** @throws HttpError 400 · 408 · 413 */
  text(): Promise<string> {
    return this.#bytes.then(textOf, refuse);
  }

  /** @throws HttpError 400 · 408 · 413 */
  json(): Promise<Json> {
    return this.#bytes.then(jsonOf, refuse);
  }

  /** From here on it has its time, where it is not there yet: most come with their heads, and cost nothing for it. */
  hasten(): void {
    const { reading, timeMs } = this.#limits;
    const reject = this.#reject;
    if (reject === undefined || Bun.peek.status(this.#bytes) !== "pending") return;
    const due = { at: performance.now(), expire: () => reject(tooSlow(timeMs)) };
    reading.add(due);
    const over = () => reading.delete(due);
    this.#bytes.then(over, over);
  }
}

// --- internal ---

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;

const json = /^application\/json\s*(;|$)/i;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Whether a body says its length, and nothing else of it. @throws HttpError 413 · 415 */
function isSized({ headers }: Request, limits: BodyLimits): boolean {
  const type = headers.get("content-type");
  if (type === null || !json.test(type))
    throw new HttpError(415, "unsupported_media_type", "a body must be application/json", {
      hint: "send Content-Type: application/json",
    });
  const length = headers.get("content-length");
  if (length !== null && Number(length) > limits.bytesMax) throw tooLarge(limits);
  return length !== null && !headers.has("transfer-encoding");
}

/** @throws HttpError 400 */
function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError(400, "bad_request", "the body is not UTF-8");
  }
}

/** @throws HttpError 400 */
function jsonOf(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  try {
    return readJson(text);
  } catch (error) {
    const why =
      error instanceof SyntaxError ? `: ${error.message.replace(/^JSON Parse error: /, "")}` : "";
    throw new HttpError(400, "bad_request", `the body is not JSON${why}`);
  }
}

/** Why there is no body: where it is none of our reasons, the connection ended. */
function refuse(error: unknown): never {
  throw isHttpError(error) ? error : new HttpError(400, "bad_request", "the body broke off");
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
    const { done, value } = await reader.read();
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
