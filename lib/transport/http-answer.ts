/**
 * Reads the answer to one request out of its HTTP response. The usual ways (JSON, a stream of events) are here or one
 * import away; whatever else came is judged by http-refusal.ts. A request ends answered or failed, and never twice.
 */
import type { HostError } from "../base/errors.ts";
import { glimpse, oversize } from "./broken.ts";
import { isEvents, isShort, readBody, typeOf } from "./http-body.ts";
import type { BodyText } from "./http-body.ts";
import type { Exchange, HttpTimes, Link } from "./http-types.ts";

/** The default of `responseBytesMax`: 64 MiB. */
export const responseBytesMax = 67_108_864;

/** The defaults of `times`. */
export const defaultTimes: HttpTimes = {
  reconnectMs: 1000,
  lingerMs: 1000,
  refusalMs: 2000,
  deleteMs: 500,
  settleMs: 1000,
  openMs: 500,
  tellMs: 200,
};

/** An answer without a stream, whose text can be taken at once. */
export function isBrief(response: Response, { options }: Link): boolean {
  if (response.status !== 200 || typeOf(response) === "text/event-stream") return false;
  return isShort(response, options.responseBytesMax ?? responseBytesMax);
}

/** Resolves when the response was read and its request is answered or failed. Throws what broke the body. */
export async function readResponse(
  response: Response,
  exchange: Exchange,
  link: Link,
): Promise<void> {
  if (response.ok && typeOf(response) === "text/event-stream")
    return await readEvents(response, response.body, exchange, link);
  if (response.status !== 200) {
    const { refuse } = await import("./http-refusal.ts");
    return await refuse(response, exchange, link);
  }
  const bytesMax = link.options.responseBytesMax ?? responseBytesMax;
  const body = await readBody(response, bytesMax);
  if (body.events !== undefined) return await readEvents(response, body.events, exchange, link);
  if (body.oversize === undefined) return await takeText(body, response, exchange, link);
  const { call } = glimpse(body.text);
  const { id } = exchange;
  await link.take([oversize({ bytes: body.oversize, bytesMax, id, call })], exchange);
}

/** Hands on a body, which is all that there is of the answer; to be awaited where it gives a promise. */
export function takeText(
  { text, bytes }: BodyText,
  response: Response,
  exchange: Exchange,
  link: Link,
): Promise<void> | undefined {
  const isJson = text.startsWith("{") || /^\s*[[{]/.test(text);
  if (!isJson && isEvents(text))
    return readEvents(response, new Response(text).body, exchange, link);
  // Asked for seldom: what was taken at once has the length that it says.
  const doubtful = isJson && text.includes("\ufffd");
  const from = doubtful ? (bytes ?? Number(response.headers.get("content-length"))) : undefined;
  const room = isJson ? link.take(link.read(text, from), exchange) : undefined;
  if (room === undefined && exchange.isAnswered) return undefined;
  return settled(room, text, response, exchange, link);
}

// --- internal ---

/** An answer in a stream of events, whatever its type says. */
async function readEvents(
  response: Response,
  body: Response["body"],
  exchange: Exchange,
  link: Link,
): Promise<void> {
  link.readStream ??= (await import("./http-stream.ts")).readAnswer;
  const { error } = await link.readStream({ body }, exchange, link);
  if (exchange.isAnswered || exchange.ending.signal.aborted) return;
  const { endedStream } = await import("./http-errors.ts");
  fail(exchange, link, endedStream(response, exchange, link, error));
}

async function settled(
  room: Promise<void> | undefined,
  text: string,
  response: Response,
  exchange: Exchange,
  link: Link,
): Promise<void> {
  if (room !== undefined) await room;
  if (exchange.isAnswered || exchange.ending.signal.aborted) return;
  const { noAnswer } = await import("./http-refusal.ts");
  fail(exchange, link, noAnswer(response, text, exchange, link));
}

function fail({ id }: Exchange, link: Link, error: HostError): void {
  void link.take([{ failed: { id, error } }]);
}
