/**
 * Answers that are streams of events (SSE). It counts them against the bound of all streams, keeps them alive by comments,
 * says how much a slow client has not taken yet, and ends them when the process stops; it drops nothing by itself.
 */
import { HttpError } from "./http-error.ts";
import type { Exchange, ServeContext } from "./types.ts";

export interface StreamOptions {
  /** A comment is sent when nothing was for so long. @default 15000; 0: never */
  keepAliveMs?: number;
  /** Once: the client has left, the process stops, or `end` was called. */
  onClose?: () => void;
  headers?: Record<string, string>;
}

export interface StreamEvent {
  data: string;
  /** Of a message of MCP always "message": that is what an event without a name is, but some clients drop those. */
  event?: string;
  id?: string;
}

/** An open answer of events. */
export interface EventStream {
  /** What the handler returns. */
  readonly response: Response;
  /** Puts an event behind those that wait. After the end it does nothing. */
  send(event: StreamEvent): void;
  /** A line that clients skip. */
  comment(text: string): void;
  /** Characters that the client has not taken yet; whoever sends without being asked keeps an eye on it. */
  readonly waiting: number;
  /** Settles as soon as nothing waits, or it has ended. */
  drained(): Promise<void>;
  readonly closed: boolean;
  /** What waits is still sent. */
  end(): void;
}

const keepAliveDefaultMs = 15_000;

/** Begins to answer with events. @throws HttpError 503 where too many streams are open */
export function eventStream(
  exchange: Pick<Exchange, "keepOpen" | "signal">,
  context: Pick<ServeContext, "streams" | "stopping">,
  options: StreamOptions = {},
): EventStream {
  if (!context.streams.take())
    throw new HttpError(503, "busy", `${context.streams.max} streams are open: no more for now`, {
      headers: { "retry-after": "5" },
    });
  exchange.keepOpen();
  return new Events(exchange, context, options);
}

// --- internal ---

class Events implements EventStream {
  readonly response: Response;
  #queue = "";
  #wanted: (() => void) | undefined;
  #drained: (() => void)[] = [];
  #closed = false;
  #isBegun = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #keepAliveMs: number;
  readonly #release: () => void;
  readonly #end = () => this.end();

  constructor(
    exchange: Pick<Exchange, "keepOpen" | "signal">,
    { streams, stopping }: Pick<ServeContext, "streams" | "stopping">,
    { keepAliveMs = keepAliveDefaultMs, onClose, headers }: StreamOptions,
  ) {
    const { signal } = exchange;
    this.#keepAliveMs = keepAliveMs;
    this.#release = () => {
      streams.release();
      signal.removeEventListener("abort", this.#end);
      stopping.removeEventListener("abort", this.#end);
      onClose?.();
    };
    signal.addEventListener("abort", this.#end, { once: true });
    stopping.addEventListener("abort", this.#end, { once: true });
    if (signal.aborted || stopping.aborted) queueMicrotask(this.#end);
    this.#restart();
    const encoder = new TextEncoder();
    // Pulled: what the client does not take stays in our queue, where it is counted.
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          // The head of the answer leaves with the first bytes: where there is nothing to say yet, something is said.
          if (!this.#isBegun && this.#queue === "") this.#queue = ":\n\n";
          this.#isBegun = true;
          if (this.#queue === "" && !this.#closed)
            await new Promise<void>((resolve) => (this.#wanted = resolve));
          const text = this.#queue;
          this.#queue = "";
          if (text !== "") controller.enqueue(encoder.encode(text));
          for (const resolve of this.#drained.splice(0)) resolve();
          if (!this.#closed || text !== "") return;
          exchange.keepOpen(false);
          controller.close();
        },
        cancel: this.#end,
      },
      { highWaterMark: 0 },
    );
    this.response = new Response(body, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-cache, no-transform",
        "x-accel-buffering": "no",
        ...headers,
      },
    });
  }

  get waiting(): number {
    return this.#queue.length;
  }

  get closed(): boolean {
    return this.#closed;
  }

  send({ data, event, id }: StreamEvent): void {
    const lines = [
      ...(event === undefined ? [] : [`event: ${event}`]),
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`),
    ];
    this.#put(`${lines.join("\n")}\n\n`);
  }

  comment(text: string): void {
    this.#put(`: ${text.replace(/[\r\n]+/g, " ")}\n\n`);
  }

  drained(): Promise<void> {
    if (this.#queue === "" || this.#closed) return Promise.resolve();
    return new Promise((resolve) => this.#drained.push(resolve));
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#release();
    for (const resolve of this.#drained.splice(0)) resolve();
    this.#wanted?.();
  }

  #put(text: string): void {
    if (this.#closed) return;
    this.#queue += text;
    this.#restart();
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.();
  }

  #restart(): void {
    if (this.#keepAliveMs === 0) return;
    if (this.#timer === undefined)
      this.#timer = setTimeout(() => this.comment("keep-alive"), this.#keepAliveMs);
    else this.#timer.refresh();
  }
}
