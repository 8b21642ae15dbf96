/** The body of one HTTP response as text, within a bound. It judges nothing. */

/** What a body was. */
export interface BodyText {
  text: string;
  /** How many bytes it was decoded from. */
  bytes?: number;
  /** How many bytes there were when it was left; `text` is its beginning. */
  oversize?: number;
  /** It is a stream of events, though it is not called one. */
  events?: ReadableStream<Uint8Array>;
}

/**
 * It says itself that it is within the bound: then it can be taken at once, and nobody must count. Beside chunks, or where
 * it is unpacked, a length means nothing.
 */
export function isShort({ headers }: Response, bytesMax: number): boolean {
  const length = headers.get("content-length");
  if (length === null || !(Number(length) <= bytesMax)) return false;
  return !headers.has("content-encoding") && !headers.has("transfer-encoding");
}

/**
 * The whole body. Beyond `bytesMax` bytes (after decompression) the rest is left and `text` is the beginning. What begins as a
 * stream of events does is not waited for: it may stay open.
 */
export async function readBody(response: Response, bytesMax: number): Promise<BodyText> {
  const { body } = response;
  if (body === null) return { text: "" };
  const reader = body.getReader();
  const fragments: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return { text: decode(fragments), bytes };
    if (bytes === 0 && isEvents(decode([value.subarray(0, 64)])))
      return { text: "", events: withRest(value, reader) };
    fragments.push(value);
    bytes += value.length;
    if (bytes > bytesMax) {
      await reader.cancel().catch(() => {});
      return { text: decode(fragments.slice(0, 1)).slice(0, 4096), oversize: bytes };
    }
  }
}

/** A text that begins as the events of a stream do. */
export function isEvents(text: string): boolean {
  return /^\s*(?:event|data|id|retry)?:/.test(text);
}

/**
 * The beginning of a body that matters only as evidence: what came of it within `ms` and `bytesMax`, whatever happened
 * to the rest, which is left.
 */
export async function readExcerpt(
  { body }: Response,
  { bytesMax, ms }: { bytesMax: number; ms: number },
): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const leave = () => void reader.cancel().catch(() => {});
  const timer = setTimeout(leave, ms);
  const fragments: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      fragments.push(value);
      bytes += value.length;
      if (bytes > bytesMax) {
        leave();
        break;
      }
    }
  } catch {
    // What came before is what there is to tell.
  } finally {
    clearTimeout(timer);
  }
  return decode(fragments);
}

/** The type alone, in small letters; empty where there is none. */
export function typeOf({ headers }: Response): string {
  const type = headers.get("content-type") ?? "";
  const end = type.indexOf(";");
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
}

// --- internal ---

type Reader = Pick<ReadableStreamDefaultReader<Uint8Array>, "cancel" | "read">;

/** A body that somebody has begun to read, from its beginning. */
function withRest(first: Uint8Array, reader: Reader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { value, done } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Joined once, decoded once; a byte order mark is left out. */
function decode(fragments: Uint8Array[]): string {
  const whole = fragments.length === 1 ? fragments[0] : Buffer.concat(fragments);
  return new TextDecoder().decode(whole);
}
