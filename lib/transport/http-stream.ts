/**
 * One stream of events over as many connections as it takes: what comes is handed on once, and where the server numbered
 * its events, a connection that ended before the answer is opened again behind the last one (protocol.md 1.6). Modern
 * streams have no numbers and are never opened again (1.5). Loaded when the first stream comes.
 */
import { sleep } from "../base/async.ts";
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import { isResponse } from "../protocol/jsonrpc.ts";
import { EventStream } from "./event-stream.ts";
import { readExcerpt, typeOf } from "./http-body.ts";
import { clean } from "./http-facts.ts";
import type { Ending, Exchange, Link, Streamed } from "./http-types.ts";
import { StreamState } from "./stream-state.ts";
import type { Incoming } from "./transport.ts";

/** How many connections in a row may fail, or bring nothing new. */
export const attemptsMax = 5;

/** How many of them may not even be made: a server that is started again is there in a few seconds, or not soon. */
export const absencesMax = 2;

/**
 * Reads the answer to one request from its stream, and from those that resume it. Returns how it ended; whether the
 * answer came is in the exchange.
 */
export async function readAnswer(
  response: Streamed,
  exchange: Exchange,
  link: Link,
): Promise<Ending> {
  const state = new StreamState();
  let ending = await readConnection(response, state, { exchange, link });
  const { signal } = exchange.ending;
  const { name, log } = link.options;
  let absences = 0;
  for (let failures = 0; mayResume(exchange, state) && failures < attemptsMax; failures++) {
    await sleep(waitOf(state, failures, link), signal);
    debug(log, name, () => `the stream of ${exchange.message.method} is resumed`);
    const again = await connect(state, link, signal);
    if (again === "refused" || again === "forgotten") break;
    absences = isAbsent(again) ? absences + 1 : 0;
    if (isAbsent(again)) {
      ending.error = again.absent;
      if (absences >= absencesMax) break;
      const { message } = again.absent;
      log({
        level: "info",
        server: name,
        text: `the connection was lost, trying again: ${message}`,
      });
    }
    if (again === "failed" || isAbsent(again)) continue;
    ending = await readConnection(again, state, { exchange, link });
    if (ending.isNew) failures = -1;
  }
  return ending;
}

/** Hands on the events of one connection until it ends, or has outlived the answer it was for. */
export async function readConnection(
  { body }: Streamed,
  state: StreamState,
  { exchange, link }: { exchange?: Exchange; link: Link },
): Promise<Ending> {
  const ending: Ending = { isNew: false };
  if (body === null) return ending;
  state.reconnected();
  const events = new EventStream(body, { eventBytesMax: link.options.responseBytesMax });
  try {
    await events.each((event) => {
      const isReplay = !("oversize" in event) && state.note(event);
      if (!isReplay && ("oversize" in event || event.data !== "" || event.id !== undefined))
        ending.isNew = true;
      let room: Promise<void> | undefined;
      if ("oversize" in event) room = link.take([event], exchange);
      else if (event.data !== "")
        room = link.take(messagesOf(event, { isReplay, exchange, link }), exchange);
      if (exchange?.isAnswered) events.linger(link.lingering);
      return room;
    });
  } catch (error) {
    ending.error = error;
  } finally {
    link.lingering.delete(events);
  }
  return ending;
}

/** How long to wait before the connection after `failures` of them that failed. */
export function waitOf({ retryMs }: StreamState, failures: number, link: Link): number {
  const { reconnectMs } = link.times;
  return Math.max(retryMs ?? reconnectMs * 2 ** failures, Math.min(reconnectMs, waitMsMin));
}

/** Nothing was reached: the error that says why. */
export interface Absent {
  absent: HostError;
}

export function isAbsent(connection: Response | string | Absent): connection is Absent {
  return typeof connection === "object" && "absent" in connection;
}

/** A connection behind the last event; `refused`: there will be none; `forgotten`: nor is there a session, and the link ends. */
export async function connect(
  { lastEventId }: StreamState,
  link: Link,
  signal: AbortSignal,
): Promise<Response | "refused" | "forgotten" | "failed" | Absent> {
  try {
    const response = await link.get(lastEventId, signal);
    if (response.ok && typeOf(response) === "text/event-stream") return response;
    if (await isForgotten(response, link)) return "forgotten";
    return response.status === 429 || response.status >= 500 ? "failed" : "refused";
  } catch (error) {
    if (signal.aborted) throw error;
    return isHostError(error) && error.facts.sent === false ? { absent: error } : "failed";
  }
}

// --- internal ---

/** However soon a server wants to be asked again. */
const waitMsMin = 50;

/** Reads a refusal of a stream that was there before: the session may be lost, as the link is told. */
async function isForgotten(response: Response, link: Link): Promise<boolean> {
  const { status } = response;
  const text = await readExcerpt(response, { bytesMax: excerptBytesMax, ms: link.times.refusalMs });
  if (!link.hasSession) return false;
  const { isSessionLost } = await import("./lost-session.ts");
  if (!isSessionLost(status, text, [])) return false;
  link.loseSession(status);
  return true;
}

const excerptBytesMax = 65_536;

type Event = { id?: string; event?: string; data: string; retry?: number };

function mayResume({ isModern, isAnswered, ending }: Exchange, state: StreamState): boolean {
  if (isModern || isAnswered || ending.signal.aborted) return false;
  return state.lastEventId !== undefined && state.lastEventId !== "";
}

function isRefusal(item: Incoming): boolean {
  return "message" in item && isResponse(item.message) && item.message.error !== undefined;
}

interface Reading {
  isReplay: boolean;
  exchange: Exchange | undefined;
  link: Link;
}

/** Of a replay only answers count: each request takes its own once. */
function messagesOf(
  { event = "message", data }: Event,
  { isReplay, exchange, link }: Reading,
): Incoming[] {
  const { name, log } = link.options;
  // Some servers send what is refused so.
  if (event === "error" && data.includes('"jsonrpc"')) return link.read(data).filter(isRefusal);
  if (event !== "message") {
    if (exchange !== undefined && event !== "ping")
      exchange.aside = `an event "${clean(event, 40)}": ${clean(data)}`;
    debug(log, name, () => `an event of a kind that means nothing was ignored (${event.length})`);
    return [];
  }
  const items = link.read(data);
  return isReplay
    ? items.filter((item) => "message" in item && !("method" in item.message))
    : items;
}
