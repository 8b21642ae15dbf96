/** Bodies of requests: their type, their size (counted while they are read) and their JSON. Each is read once. */
import { settlesWithin } from "../base/async.ts";
import type { Deadlines, Due } from "../base/deadlines.ts";
import type { Json } from "../base/json.ts";
import { HttpError, isHttpError } from "./http-error.ts";
import { readJson } from "./read-json.ts";
import type { BodyReader } from "./types.ts";

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
export class Body implements Due {
  at = 0;
  before: Due | undefined;
  after: Due | undefined;
  readonly #limits: BodyLimits;
  /** It comes at once, and can be given up. */
  readonly #isWhole: boolean;
  /** Who waits for it. */
  #reader: BodyReader | undefined;

  /** Begins to read it. @throws HttpError 413 · 415 */
  constructor(request: Request, limits: BodyLimits, reader: BodyReader) {
    this.#limits = limits;
    this.#reader = reader;
    this.#isWhole = isSized(request, limits);
    const bytes = this.#isWhole ? request.bytes() : bytesOf(request, limits);
    bytes.then(
      (whole) => this.#took(whole),
      (error: unknown) => this.#broke(reasonOf(error)),
    );
  }

  /** From here on it has its time, where it is not there yet: most come with their heads, and cost nothing for it. */
  hasten(): void {
    if (!this.#isWhole || this.#reader === undefined) return;
    this.at = performance.now();
    this.#limits.reading.add(this);
  }

  expire(): void {
    this.#broke(tooSlow(this.#limits.timeMs));
  }

  // --- internal ---

  #took(bytes: Uint8Array): void {
    let text: string;
    try {
      text = textOf(bytes);
    } catch {
      return this.#broke(new HttpError(400, "bad_request", "the body is not UTF-8"));
    }
    this.#taken()?.took(text);
  }

  #broke(error: HttpError): void {
    this.#taken()?.broke(error);
  }

  /** Nobody waits any more. */
  #taken(): BodyReader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    this.#limits.reading.delete(this);
    return reader;
  }
}

/** What a text that was a body holds. @throws HttpError 400 */
export function jsonIn(text: string): Json {
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
/** As most say it. */
const plainJson = "application/json";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const toString = Buffer.prototype.toString;

/** What is not UTF-8 leaves a mark, which is looked into: that costs less than a decoder that is strict. @throws TypeError */
function textOf(bytes: Uint8Array): string {
  const text = toString.call(bytes as Buffer, "utf8", 0, bytes.length);
  const isSure = !text.includes("\uFFFD") && text.charCodeAt(0) !== byteOrderMark;
  return isSure ? text : utf8.decode(bytes);
}

const byteOrderMark = 0xfeff;

/** Whether a body says its length, and nothing else of it. @throws HttpError 413 · 415 */
function isSized({ headers }: Request, limits: BodyLimits): boolean {
  const type = headers.get("content-type");
  if (type !== plainJson && (type === null || !json.test(type)) && !isEmpty(headers))
    throw new HttpError(415, "unsupported_media_type", "a body must be application/json", {
      hint: "send Content-Type: application/json",
    });
  const coding = headers.get("content-encoding");
  if (coding !== null && coding.toLowerCase() !== "identity") throw encoded(coding);
  const length = headers.get("content-length");
  if (length === null) return false;
  const bytes = Number(length);
  if (bytes > limits.bytesMax) throw tooLarge(limits);
  // One that is said twice comes as two, and is none that can be compared: it is counted as it comes.
  return bytes <= limits.bytesMax && !headers.has("transfer-encoding");
}

/** There is none: it need not say what it is. */
function isEmpty(headers: Headers): boolean {
  const length = headers.get("content-length");
  return length === null ? !headers.has("transfer-encoding") : length === "0";
}

function encoded(coding: string): HttpError {
  const text = `a body in the coding ${coding} is not read`;
  return new HttpError(415, "unsupported_media_type", text, {
    hint: "send it as it is, without Content-Encoding",
    headers: { "accept-encoding": "identity" },
  });
}

/** Why there is no body: where it is none of our reasons, the connection ended. */
function reasonOf(error: unknown): HttpError {
  return isHttpError(error) ? error : new HttpError(400, "bad_request", "the body broke off");
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
