/**
 * The transport HTTP+SSE of 2024-11-05 (protocol.md 1.7): one GET whose event stream brings everything the server says,
 * after the address that messages are posted to. No session and no resumption: the end of the stream is the end of the
 * link. It posts to no other origin than the configured one.
 */
import { Channel } from "../base/channel.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import { isRequest } from "../protocol/jsonrpc.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { EventStream } from "./event-stream.ts";
import type { StreamEvent } from "./event-stream.ts";
import type { RemoteOptions } from "./remote.ts";
import { endpointOf, openEventStream, postMessage } from "./sse-requests.ts";
import type { Posted } from "./sse-requests.ts";
import type { CloseInfo, Incoming, SendOptions, Transport } from "./transport.ts";
import { textReader } from "./whole-text.ts";

export interface SseOptions extends RemoteOptions {
  /** How long the server may take to answer and to name the address for messages. @default 60000 */
  startTimeoutMs?: number | undefined;
  /** Gives up the opening; later it means nothing. */
  signal?: AbortSignal | undefined;
}

/**
 * Opens the stream and waits for the address.
 * @throws HostError `server_start` (refused, no event stream, it ended, an address elsewhere), `timeout`, `cancelled`,
 *   and what `options.fetch` throws
 */
export async function openSse(options: SseOptions): Promise<Transport> {
  const { name, log, startTimeoutMs = 60_000, signal } = options;
  const ending = new AbortController();
  const giveUp = () => ending.abort(cancelled(name, signal?.reason));
  const timer = setTimeout(() => ending.abort(late(name, startTimeoutMs)), startTimeoutMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    const body = await openEventStream(options, ending.signal);
    const events = new EventStream(body, { eventBytesMax: options.responseBytesMax });
    const endpoint = await firstEndpoint(options, events);
    debug(log, name, () => `messages go to ${endpoint.pathname}`);
    return new SseTransport(options, { events, endpoint, ending });
  } catch (error) {
    const why: unknown = ending.signal.reason;
    ending.abort();
    throw isHostError(why) ? why : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

// --- internal ---

class SseTransport implements Transport {
  readonly incoming = new Channel<Incoming>();
  readonly closed: Promise<CloseInfo>;
  readonly #options: SseOptions;
  readonly #endpoint: URL;
  /** Ends the stream and all posts. */
  readonly #ending: AbortController;
  #info: CloseInfo | undefined;

  constructor(
    options: SseOptions,
    { events, endpoint, ending }: { events: EventStream; endpoint: URL; ending: AbortController },
  ) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#ending = ending;
    this.closed = this.#read(events);
  }

  async send(message: Message, { signal, headers }: SendOptions = {}): Promise<void> {
    const { name } = this.#options;
    if (this.#info !== undefined)
      throw new HostError("server_exit", `the link to server "${name}" is closed`, {
        facts: { server: name, sent: false },
      });
    const ending = this.#ending.signal;
    const post = {
      endpoint: this.#endpoint,
      body: JSON.stringify(message),
      headers: { "content-type": "application/json", accept: "*/*", ...headers },
      signal: signal === undefined ? ending : AbortSignal.any([ending, signal]),
    };
    this.#posted(await this.#post(message, post));
  }

  facts(): Pick<CloseInfo, "stderr" | "noise"> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end({ kind: "local" });
    this.#ending.abort();
    await this.closed;
  }

  /** What breaks before there is an answer is, of a request, its failure. */
  async #post(message: Message, post: Parameters<typeof postMessage>[2]): Promise<Posted> {
    try {
      return await postMessage(this.#options, message, post);
    } catch (error) {
      if (this.#info === undefined && isRequest(message) && isHostError(error))
        return { items: [{ failed: { id: message.id, error } }] };
      // The end of the link tells more, and to all that wait at once; whether this one got out is told by throwing.
      const isUnsent = isHostError(error) && error.facts.sent === false;
      if (this.#info === undefined || isUnsent || !isRequest(message)) throw error;
      return { items: [] };
    }
  }

  #posted({ items, lost }: Posted): void {
    for (const item of items) void this.incoming.push(item);
    if (lost === undefined) return;
    this.#end({
      kind: "error",
      ...lost,
      how: `no longer knows this link (HTTP ${lost.httpStatus})`,
    });
    this.#ending.abort();
  }

  #end(info: CloseInfo): void {
    this.#info ??= info;
    this.incoming.end();
  }

  async #read(events: EventStream): Promise<CloseInfo> {
    try {
      await this.#take(events);
      this.#end({ kind: "eof", how: "ended its event stream" });
    } catch (error) {
      this.#end({ kind: "error", how: "lost its event stream", error });
    }
    return this.#info ?? { kind: "local" };
  }

  async #take(events: EventStream): Promise<void> {
    const { name, log, responseBytesMax = 67_108_864 } = this.#options;
    const read = textReader({ name, log, unit: "event", bytesMax: responseBytesMax });
    for await (const event of events) {
      if ("oversize" in event) await this.incoming.push(event);
      else if (isMessage(event))
        for (const item of read(event.data)) await this.incoming.push(item);
      else if (event.data !== "") debug(log, name, () => `an event "${event.event}" was ignored`);
    }
  }
}

function isMessage({ event = "message" }: StreamEvent): boolean {
  return event === "message";
}

/** The address for messages, which comes before anything else. @throws HostError `server_start` */
async function firstEndpoint(options: SseOptions, events: EventStream): Promise<URL> {
  const { name, log } = options;
  for (;;) {
    const { value, done } = await events.next();
    if (done === true) break;
    if ("oversize" in value) continue;
    if (value.event === "endpoint") return endpointOf(options, value.data);
    if (value.data !== "") debug(log, name, () => "an event before `endpoint` was ignored");
  }
  const text = `server "${name}" ended its event stream before it named an address for messages`;
  throw new HostError("server_start", text, { facts: { server: name, sent: false } });
}

function late(server: string, timeoutMs: number): HostError {
  const text = `server "${server}" named no address for messages within ${timeoutMs} ms`;
  return new HostError("timeout", text, {
    facts: { server, timeoutMs, sent: false },
    hint: "an HTTP+SSE server begins its stream with an `endpoint` event; a longer startTimeoutMs waits longer",
  });
}

function cancelled(server: string, cause: unknown): HostError {
  const text = `the start of server "${server}" was cancelled`;
  return new HostError("cancelled", text, { facts: { server, sent: false }, cause });
}
