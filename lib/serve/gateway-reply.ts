/**
 * The answer to one POST: JSON where nothing is told before it, else a stream of events that ends with it. A stream is
 * begun, too, when the answer takes long, so that whoever waits, and whatever stands between, sees life.
 */
import type { RequestId } from "../protocol/jsonrpc.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { errorText } from "./gateway-messages.ts";
import type { Replays, ReplayStream } from "./gateway-replay.ts";
import type { ReplyTo } from "./gateway-running.ts";
import type { Waiter, Waiting } from "./gateway-waiting.ts";
import { eventStream } from "./stream.ts";
import type { EventStream } from "./stream.ts";
import type { Elder, Exchange, ServeContext } from "./types.ts";

export interface ReplyWorld {
  context: Pick<ServeContext, "streams">;
  /** Those that are answered beside it. */
  waiting: Waiting;
}

/** One answer on its way, which the exchange is given. */
export class HttpReply implements ReplyTo, Waiter, Elder {
  at = 0;
  before: Waiter | undefined;
  after: Waiter | undefined;
  readonly exchange: Exchange;
  readonly id: RequestId | null;
  readonly #replays: Replays | undefined;
  readonly #world: ReplyWorld;
  #stream: EventStream | undefined;
  #replay: ReplayStream | undefined;
  #isWaiting = false;
  #isOver = false;

  /**
   * @param id of the request; null for several of them
   * @param replays streams of this client may be taken up again
   */
  constructor(id: RequestId | null, exchange: Exchange, world: ReplyWorld, replays?: Replays) {
    this.id = id;
    this.exchange = exchange;
    this.#replays = replays;
    this.#world = world;
  }

  /** The answer is being made, from now on. */
  begin(): void {
    this.exchange.onAge(this);
  }

  /** It is none of the many that are given at once. */
  aged(): void {
    if (this.#isOver || this.#isWaiting) return;
    this.#isWaiting = true;
    this.at = performance.now();
    this.#world.waiting.add(this);
  }

  /** The client takes a stream. */
  get mayStream(): boolean {
    return true;
  }

  /** Makes it a stream at once, whatever comes. @throws HttpError 503 where too many are open: then it is over */
  open(): void {
    try {
      this.#begin().comment("open");
    } catch (error) {
      this.#leave();
      throw error;
    }
  }

  say(text: string, isNeeded = false): boolean {
    if (this.#isOver || !this.mayStream) return false;
    const stream = this.#stream ?? this.#beginIfRoom();
    if (stream === undefined || (!isNeeded && stream.waiting > waitingMax)) return false;
    if (this.#replay === undefined) stream.send({ event: "message", data: text });
    else this.#replay.send(text);
    // Whoever may take it up again has not lost it.
    return this.#replay !== undefined || !stream.closed;
  }

  grow(): void {
    if (this.#isOver || this.#stream !== undefined || !this.mayStream) return;
    // Headers leave with the first bytes.
    this.#beginIfRoom()?.comment("open");
  }

  finish(text: string | undefined, isRefused = false): void {
    if (this.#isOver) return;
    this.#leave();
    const stream = this.#stream;
    if (this.#replay !== undefined) {
      if (text !== undefined) this.#replay.send(text);
      this.#replay.end();
    } else if (stream !== undefined) {
      if (text !== undefined) stream.send({ event: "message", data: text });
      stream.end();
    } else if (text === undefined) this.exchange.respond(new Response(null, { status: 202 }));
    else this.exchange.respond(new Response(text, isRefused ? { ...json, status: 400 } : json));
  }

  end(): void {
    const error = new RpcError({ code: internalError, message: "mcphost is stopping" });
    this.finish(this.id === null ? undefined : errorText(this.id, error));
  }

  // --- internal ---

  /** Without room for a stream the answer comes alone: its request may have been sent on long ago. */
  #beginIfRoom(): EventStream | undefined {
    const { size, max } = this.#world.context.streams;
    return size < max ? this.#begin() : undefined;
  }

  /** @throws HttpError 503 */
  #begin(): EventStream {
    const { exchange } = this;
    const { streams } = this.#world.context;
    this.aged();
    // It ends with its answer, or when the client leaves: the end of the process is told by an answer.
    const { signal } = exchange.request;
    const keepOpen = (isOpen?: boolean) => exchange.keepOpen(isOpen);
    const stopping = new AbortController().signal;
    this.#stream = eventStream({ keepOpen, signal }, { streams, stopping });
    this.#replay = this.#replays?.begin();
    this.#replay?.attach(this.#stream);
    exchange.respond(this.#stream.response);
    return this.#stream;
  }

  #leave(): void {
    this.#isOver = true;
    this.#world.waiting.delete(this);
  }
}

/** For who takes no stream: what would be told before the answer is not. */
export class JsonReply extends HttpReply {
  override get mayStream(): boolean {
    return false;
  }
}

// --- internal ---

/** Characters that a client may leave untaken; what is told besides the answer is lost. */
const waitingMax = 4_194_304;

/** Made once: headers that a response only copies cost a fraction of those that it has to read. */
const json = { headers: new Headers({ "content-type": "application/json" }) };
