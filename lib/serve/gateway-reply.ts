/**
 * The answer to one POST: JSON where nothing is told before it, else a stream of events that ends with it. A stream is
 * begun, too, when the answer takes long, so that whoever waits, and whatever stands between, sees life.
 */
import type { RequestId } from "../protocol/jsonrpc.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { errorText } from "./gateway-messages.ts";
import type { Replays, ReplayStream } from "./gateway-replay.ts";
import type { Say } from "./gateway-running.ts";
import type { Waiter, Waiting } from "./gateway-waiting.ts";
import { eventStream } from "./stream.ts";
import type { EventStream } from "./stream.ts";
import type { Exchange, ServeContext } from "./types.ts";

export interface ReplyOptions {
  /** Of the request; null for several of them. */
  id: RequestId | null;
  exchange: Pick<Exchange, "request" | "keepOpen" | "signal">;
  streams: ServeContext["streams"];
  /** Those that are answered beside it. */
  waiting: Waiting;
  /** The client takes a stream. */
  mayStream: boolean;
  /** A stream at once, whatever comes. @default false */
  isStream?: boolean;
  /** Streams of this client may be taken up again. */
  replays?: Replays | undefined;
}

/** What work comes to: the text of a message and its status, or nothing (nobody waits for it any more). */
export type Reply = { text: string; status: number } | undefined;

/** Tells what it likes by `say`, and then resolves; never rejects. */
export type Work = (say: Say) => Promise<Reply>;

/** @throws HttpError 503 for what is a stream at once, where too many are open: then nothing is begun */
export function replyTo(work: Work, options: ReplyOptions): Promise<Response> {
  return new Promise((resolve, reject) => {
    const answering = new Answering(options, resolve, reject);
    options.waiting.add(answering);
    if (options.isStream === true && !answering.open()) return;
    void work((text, isNeeded) => answering.say(text, isNeeded)).then((reply) =>
      answering.finish(reply),
    );
  });
}

// --- internal ---

/** Characters that a client may leave untaken; what is told besides the answer is lost. */
const waitingMax = 4_194_304;

/** Made once: headers that a response only copies cost a fraction of those that it has to read. */
const json = { headers: new Headers({ "content-type": "application/json" }) };

/** One answer on its way. */
class Answering implements Waiter {
  readonly at = performance.now();
  readonly #options: ReplyOptions;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (error: unknown) => void;
  #stream: EventStream | undefined;
  #replay: ReplayStream | undefined;
  #isOver = false;

  constructor(
    options: ReplyOptions,
    resolve: (response: Response) => void,
    reject: (error: unknown) => void,
  ) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  get exchange(): ReplyOptions["exchange"] {
    return this.#options.exchange;
  }

  /** Begins the stream; false where there is no room: the client was told so. */
  open(): boolean {
    try {
      this.#begin().comment("open");
      return true;
    } catch (error) {
      this.#leave();
      this.#reject(error);
      return false;
    }
  }

  say(text: string, isNeeded = false): boolean {
    if (this.#isOver || !this.#options.mayStream) return false;
    const stream = this.#stream ?? this.#beginIfRoom();
    if (stream === undefined || (!isNeeded && stream.waiting > waitingMax)) return false;
    if (this.#replay === undefined) stream.send({ data: text });
    else this.#replay.send(text);
    // Whoever may take it up again has not lost it.
    return this.#replay !== undefined || !stream.closed;
  }

  grow(): void {
    if (this.#isOver || this.#stream !== undefined || !this.#options.mayStream) return;
    // Headers leave with the first bytes.
    this.#beginIfRoom()?.comment("open");
  }

  finish(reply: Reply): void {
    if (this.#isOver) return;
    this.#leave();
    const stream = this.#stream;
    if (this.#replay !== undefined) {
      if (reply !== undefined) this.#replay.send(reply.text);
      this.#replay.end();
    } else if (stream !== undefined) {
      if (reply !== undefined) stream.send({ data: reply.text });
      stream.end();
    } else if (reply === undefined) this.#resolve(new Response(null, { status: 202 }));
    else if (reply.status === 200) this.#resolve(new Response(reply.text, json));
    else this.#resolve(new Response(reply.text, { ...json, status: reply.status }));
  }

  end(): void {
    const { id } = this.#options;
    const error = new RpcError({ code: internalError, message: "mcphost is stopping" });
    this.finish(id === null ? undefined : { text: errorText(id, error), status: 200 });
  }

  // --- internal ---

  /** Without room for a stream the answer comes alone: its request may have been sent on long ago. */
  #beginIfRoom(): EventStream | undefined {
    const { size, max } = this.#options.streams;
    return size < max ? this.#begin() : undefined;
  }

  /** @throws HttpError 503 */
  #begin(): EventStream {
    const { exchange, streams } = this.#options;
    // It ends with its answer, or when the client leaves: the end of the process is told by an answer.
    const { signal } = exchange.request;
    const keepOpen = (isOpen?: boolean) => exchange.keepOpen(isOpen);
    const stopping = new AbortController().signal;
    this.#stream = eventStream({ keepOpen, signal }, { streams, stopping });
    this.#replay = this.#options.replays?.begin();
    this.#replay?.attach(this.#stream);
    this.#resolve(this.#stream.response);
    return this.#stream;
  }

  #leave(): void {
    this.#isOver = true;
    this.#options.waiting.delete(this);
  }
}
