/**
 * The transport HTTP+SSE of 2024-11-05 (protocol.md 1.7): one GET whose event stream brings everything the server says,
 * after the address that messages are posted to. No session and no resumption: the end of the stream is the end of the
 * link. It posts to no other origin than the configured one.
 */
import { settlesWithin } from "../base/async.ts";
import { Channel } from "../base/channel.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import { isRequest } from "../protocol/jsonrpc.ts";
import type { Message, Request } from "../protocol/jsonrpc.ts";
import { traceHeaders } from "../protocol/trace.ts";
import { EventStream } from "./event-stream.ts";
import { cancelledOpening, lateOpening } from "./opening-errors.ts";
import type { RemoteOptions } from "./remote.ts";
import { behindPrefix, firstEndpoint } from "./sse-endpoint.ts";
import { openEventStream, postMessage } from "./sse-requests.ts";
import type { Post, Posted } from "./sse-requests.ts";
import type { CloseInfo, Incoming, SendOptions, Transport } from "./transport.ts";
import { UnderWay } from "./under-way.ts";
import { textReader } from "./whole-text.ts";

export interface SseOptions extends RemoteOptions {
  /** How long the server may take to answer and to name the address for messages. @default 60000 */
  startTimeoutMs?: number | undefined;
  /** Gives up the opening; later it means nothing. */
  signal?: AbortSignal | undefined;
  /** Called once there is an event stream: what fails from then on is the fault of a server of this transport. */
  onStream?: (() => void) | undefined;
}

/**
 * Opens the stream and waits for the address.
 * @throws HostError `server_start` (refused, no event stream, it ended, an address elsewhere, too late), `cancelled`,
 *   and what `options.fetch` throws
 */
export async function openSse(options: SseOptions): Promise<Transport> {
  const { name, log, startTimeoutMs = 60_000, signal } = options;
  const ending = new AbortController();
  const giveUp = () => ending.abort(cancelledOpening(name, signal?.reason));
  const timer = setTimeout(
    () => ending.abort(lateOpening(name, startTimeoutMs, late)),
    startTimeoutMs,
  );
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();
  try {
    const body = await openEventStream(options, ending.signal);
    options.onStream?.();
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

/** Of every POST. */
const posted = { "content-type": "application/json", accept: "*/*" };

/** How long the end of the stream waits for posts that are under way. */
const settleMs = 250;
/** How long our own end waits for what has no answer. */
const tellMs = 200;

class SseTransport implements Transport {
  readonly incoming = new Channel<Incoming>();
  readonly closed: Promise<CloseInfo>;
  readonly #options: SseOptions;
  #endpoint: URL;
  /** Where it may be instead, as long as nothing was taken there. */
  #other: URL | undefined;
  /** Ends the stream and all posts. */
  readonly #ending: AbortController;
  /** Requests whose posts have no answer yet. */
  readonly #posts = new Set<Promise<void>>();
  /** All else that is on its way. */
  readonly #tells = new UnderWay();
  /** How it ended, or is ending: nothing more is sent. */
  #info: CloseInfo | undefined;

  constructor(
    options: SseOptions,
    { events, endpoint, ending }: { events: EventStream; endpoint: URL; ending: AbortController },
  ) {
    this.#options = options;
    this.#endpoint = endpoint;
    this.#other = behindPrefix(options, endpoint);
    this.#ending = ending;
    this.closed = this.#read(events);
  }

  /** A request is handed over at once, and fails as an item; all else is sent when the server has taken it. */
  async send(message: Message, { signal, headers }: SendOptions = {}): Promise<void> {
    const { name } = this.#options;
    if (this.#info !== undefined)
      throw new HostError("server_exit", `the link to server "${name}" is closed`, {
        facts: { server: name, sent: false },
      });
    const ending = this.#ending.signal;
    const until = signal === undefined ? ending : AbortSignal.any([ending, signal]);
    const post: Post = {
      endpoint: this.#endpoint,
      body: JSON.stringify(message),
      headers: { ...posted, ...traceHeaders(message), ...headers },
      signal: isRequest(message) ? until : this.#tells.until(signal),
      elsewhere: this.#other && (() => this.#move()),
    };
    if (!isRequest(message))
      return this.#posted(await this.#tells.track(postMessage(this.#options, message, post)));
    const posting = this.#ask(message, post).finally(() => this.#posts.delete(posting));
    this.#posts.add(posting);
  }

  facts(): Pick<CloseInfo, "stderr" | "noise"> {
    return {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#info ??= { kind: "local" };
    this.incoming.end();
    await this.#tells.end(tellMs);
    this.#ending.abort();
    await this.closed;
  }

  async #ask(message: Request, post: Post): Promise<void> {
    try {
      this.#posted(await postMessage(this.#options, message, post));
    } catch (error) {
      // Anything else is our own giving up, which whoever did it tells.
      if (isHostError(error)) void this.incoming.push({ failed: { id: message.id, error } });
    }
  }

  /** All that follows goes there, too. */
  #move(): URL | undefined {
    const { name, log } = this.#options;
    const other = this.#other;
    this.#other = undefined;
    if (other === undefined) return undefined;
    const { pathname } = this.#endpoint;
    debug(log, name, () => `nothing is at ${pathname}: messages go to ${other.pathname}`);
    return (this.#endpoint = other);
  }

  #posted({ items, lost }: Posted): void {
    this.#other = undefined;
    for (const item of items) void this.incoming.push(item);
    if (lost === undefined) return;
    const how = `no longer knows this link (HTTP ${lost.httpStatus})`;
    this.#info ??= { kind: "error", ...lost, how };
    this.#ending.abort();
  }

  async #read(events: EventStream): Promise<CloseInfo> {
    try {
      await this.#take(events);
      this.#info ??= { kind: "eof", how: "ended its event stream" };
    } catch (error) {
      this.#info ??= { kind: "error", how: "lost its event stream", error };
    }
    // Of what is on its way, it is better known whether it got out.
    if (this.#posts.size > 0) await settlesWithin(Promise.all(this.#posts), settleMs);
    this.incoming.end();
    this.#ending.abort();
    void this.#tells.end(tellMs);
    return this.#info;
  }

  async #take(events: EventStream): Promise<void> {
    const { name, log, responseBytesMax = 67_108_864 } = this.#options;
    const read = textReader({ name, log, unit: "event", bytesMax: responseBytesMax });
    await events.each((event) => {
      if ("oversize" in event) return this.incoming.push(event);
      let room: Promise<void> | undefined;
      if ((event.event ?? "message") === "message")
        for (const item of read(event.data)) room = this.incoming.push(item) ?? room;
      else if (event.data !== "") debug(log, name, () => `an event "${event.event}" was ignored`);
      return room;
    });
  }
}

/** What is wrong with a server that takes too long. */
const late = {
  how: "named no address for messages",
  hint: "an HTTP+SSE server begins its stream with an `endpoint` event; if it is slow, raise timeoutMs (and startTimeoutMs)",
};
