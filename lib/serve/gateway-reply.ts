import { eventStream } from "./stream.ts";
import type { EventStream } from "./stream.ts";
/**
 * The answer to one POST: JSON where nothing is told before it, else a stream of events that ends with it. A stream is
 * begun, too, when the answer takes long, so that whoever waits, and whatever stands between, sees life.
 */
import type { Exchange, ServeContext } from "./types.ts";

export interface ReplyOptions {
  exchange: Pick<Exchange, "keepOpen" | "signal">;
  streams: ServeContext["streams"];
  /** The client takes a stream. */
  mayStream: boolean;
  /** Answers that take longer become streams. @default 5000 */
  streamAfterMs?: number;
  headers?: Record<string, string>;
  /** A stream at once, whatever comes. @default false */
  isStream?: boolean;
  /** Called with a stream that was begun, before anything is sent on it. */
  onStream?: (stream: EventStream) => void;
}

/** What work comes to: the text of a message and its status, or nothing (nobody waits for it any more). */
export type Reply = { text: string; status: number } | undefined;

/**
 * Runs `work`, which tells what it likes by `say` and then resolves; it never rejects.
 * @throws HttpError 503 where too many streams are open
 */
export async function replyTo(
  work: (say: (text: string) => void) => Promise<Reply>,
  { exchange, streams, mayStream, streamAfterMs = 5000, headers, isStream, onStream }: ReplyOptions,
): Promise<Response> {
  const begun = Promise.withResolvers<undefined>();
  let early: string[] | undefined = [];
  let stream: EventStream | undefined;
  const done = work((text) => {
    if (!mayStream) return;
    if (early !== undefined) {
      early.push(text);
      begun.resolve(undefined);
    } else if (stream !== undefined && stream.waiting < waitingMax) stream.send({ data: text });
  });
  if (!isStream) {
    const timer = mayStream ? setTimeout(begun.resolve, streamAfterMs) : undefined;
    const isOver = done.then(() => true);
    const first = await Promise.race([isOver, begun.promise]);
    clearTimeout(timer);
    if (first === true && early.length === 0) return plain(await done, headers);
  }
  // It ends with its answer: the end of the process is told by that.
  const stopping = new AbortController().signal;
  stream = eventStream(exchange, { streams, stopping }, { ...(headers && { headers }) });
  onStream?.(stream);
  // Headers leave with the first bytes.
  if (early.length === 0) stream.comment("open");
  for (const text of early) stream.send({ data: text });
  early = undefined;
  void finish(done, stream);
  return stream.response;
}

// --- internal ---

/** Characters that a client may leave untaken; what is told besides the answer is lost. */
const waitingMax = 4_194_304;

const json = { "content-type": "application/json" };

function plain(reply: Reply, headers: Record<string, string> | undefined): Response {
  if (reply === undefined) return new Response(null, { status: 202, ...(headers && { headers }) });
  const { text, status } = reply;
  return new Response(text, {
    status,
    headers: headers === undefined ? json : { ...json, ...headers },
  });
}

async function finish(done: Promise<Reply>, stream: EventStream): Promise<void> {
  const reply = await done;
  if (reply !== undefined) stream.send({ data: reply.text });
  stream.end();
}
