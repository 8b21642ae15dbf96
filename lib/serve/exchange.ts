/** One request as its face sees it. What costs time (URL, signal, body) is made when it is first asked for. */
import type { Deadlines, Due } from "../base/deadlines.ts";
import type { Json } from "../base/json.ts";
import { Body, type BodyLimits } from "./body.ts";
import { HttpError } from "./http-error.ts";
import type { Bound, Caller, Exchange, Leaver, Socket, SocketHandlers } from "./types.ts";

/** What a WebSocket of ours carries. */
export interface SocketData {
  handlers: SocketHandlers;
  release: () => void;
  /** Fires when it has to end. */
  gone: AbortSignal | undefined;
  /** Ends it. */
  end?: () => void;
}

/** What all exchanges of one server share. */
export interface ExchangeWorld {
  server: Bun.Server<SocketData>;
  limits: BodyLimits;
  streams: Bound;
  /** Fires when running requests have had their time. */
  ending: AbortSignal;
  /** Requests that came just now. */
  young: Deadlines;
  /** Those that are still being answered, well within the time that a connection may idle. */
  answering: Deadlines;
}

/** How long a connection may idle: before and within the head of a request, and between requests. */
export const idleSeconds = 30;

/**
 * Most requests are answered sooner. It is not worth to listen for their clients before (a signal, and a listener of it,
 * cost more than many a call): one that has left may go unnoticed for so long.
 */
export const youngMs = 50;

/** After how long a request that is being answered is kept from being cut off for its silence. */
export const slowMs = 10_000;

export class Incoming implements Exchange, Due, EventListenerObject {
  readonly request: Request & { readonly params?: Readonly<Record<string, string>> };
  readonly caller: Caller;
  readonly at = performance.now();
  before: Due | undefined;
  after: Due | undefined;
  readonly #world: ExchangeWorld;
  #url: URL | undefined;
  #signal: AbortSignal | undefined;
  #body: Body | undefined;
  #leaver: Leaver | undefined;
  /** Where its client is listened for. */
  #heard: AbortSignal | undefined;
  /** It became a WebSocket: there is no answer. */
  isUpgraded = false;
  /** Its answer is a stream. */
  isKeptOpen = false;
  #isOld = false;
  #isSlow = false;
  #isAnswered = false;

  constructor(request: Bun.BunRequest, caller: Caller, world: ExchangeWorld) {
    this.request = request;
    this.caller = caller;
    this.#world = world;
    world.young.add(this);
  }

  /** It takes its time: how long an answer does is not the client's fault; bodies have a time of their own. */
  expire(): void {
    const { answering, server } = this.#world;
    if (this.#isOld) {
      this.#isSlow = true;
      server.timeout(this.request, 0);
      return;
    }
    this.#isOld = true;
    this.#listen();
    if (this.#isAnswered) return;
    this.#body?.hasten();
    answering.add(this);
  }

  /** It was answered: the connection may idle for its time. */
  answered(): void {
    const { young, answering, server } = this.#world;
    this.#isAnswered = true;
    if (this.#isOld) answering.delete(this);
    // Who is given a stream may leave it.
    if (this.isKeptOpen && this.#leaver !== undefined) return;
    young.delete(this);
    this.onLeave(undefined);
    if (this.#isSlow && !this.isKeptOpen && !this.isUpgraded)
      server.timeout(this.request, idleSeconds);
  }

  /** Its client has left. */
  handleEvent(): void {
    this.#leaver?.left();
  }

  get params(): Readonly<Record<string, string>> {
    return this.request.params ?? {};
  }

  get url(): URL {
    return (this.#url ??= new URL(this.request.url, "http://localhost"));
  }

  get left(): AbortSignal {
    const { signal } = this.request;
    const { gone } = this.caller;
    return gone === undefined ? signal : AbortSignal.any([signal, gone]);
  }

  onLeave(leaver: Leaver | undefined): void {
    this.#leaver = leaver;
    if (this.#isOld) this.#listen();
  }

  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.left, this.#world.ending]));
  }

  text(): Promise<string> {
    return this.#read().text();
  }

  json(): Promise<Json> {
    return this.#read().json();
  }

  keepOpen(isOpen = true): void {
    this.isKeptOpen = isOpen;
    this.#world.server.timeout(this.request, isOpen ? 0 : idleSeconds);
  }

  upgrade(handlers: SocketHandlers, headers?: Record<string, string>): void {
    const { server, streams } = this.#world;
    if (!streams.take())
      throw new HttpError(503, "busy", `${streams.max} streams are open: no more for now`, {
        headers: { "retry-after": "5" },
      });
    const { gone } = this.caller;
    const data: SocketData = { handlers, release: () => streams.release(), gone };
    if (server.upgrade(this.request, { data, ...(headers && { headers }) })) {
      this.isUpgraded = true;
      return;
    }
    streams.release();
    throw new HttpError(426, "upgrade_required", "this is a WebSocket: ask for an upgrade", {
      headers: { upgrade: "websocket", connection: "upgrade" },
    });
  }

  // --- internal ---

  #read(): Body {
    const body = (this.#body = new Body(this.request, this.#world.limits));
    if (this.#isOld) body.hasten();
    return body;
  }

  /** Listens for the client as long as somebody wants to hear that it has left. */
  #listen(): void {
    if (this.#leaver === undefined) {
      this.#heard?.removeEventListener("abort", this);
      return;
    }
    this.#heard ??= this.request.signal;
    if (this.#heard.aborted) this.#leaver.left();
    else this.#heard.addEventListener("abort", this);
  }
}

/** What `Bun.serve` does with our sockets. */
export const socketHandler = {
  // Faces count by themselves what waits; what is dropped unasked would be an answer.
  backpressureLimit: 0,
  open(socket: Bun.ServerWebSocket<SocketData>) {
    const { data } = socket;
    data.end = () => socket.close(policyViolation, "the token counts no more");
    data.gone?.addEventListener("abort", data.end, { once: true });
    data.handlers.open?.(asSocket(socket));
  },
  message: (socket: Bun.ServerWebSocket<SocketData>, data: string | Uint8Array) =>
    socket.data.handlers.message(asSocket(socket), data),
  drain: (socket: Bun.ServerWebSocket<SocketData>) =>
    socket.data.handlers.drain?.(asSocket(socket)),
  close(socket: Bun.ServerWebSocket<SocketData>, code: number, reason: string) {
    const { release, gone, end, handlers } = socket.data;
    if (end !== undefined) gone?.removeEventListener("abort", end);
    release();
    handlers.close?.(asSocket(socket), code, reason);
  },
};

// --- internal ---

/** RFC 6455, 7.4.1. */
const policyViolation = 1008;

/** One and the same object for a connection, so that faces may keep it as a key. */
function asSocket(socket: Bun.ServerWebSocket<SocketData>): Socket {
  return socket;
}
