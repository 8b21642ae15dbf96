/** One request as its face sees it. What costs time (URL, signal, body) is made when it is first asked for. */
import type { Deadlines, Due } from "../base/deadlines.ts";
import type { Json } from "../base/json.ts";
import { Body, type BodyLimits, jsonIn } from "./body.ts";
import { HttpError } from "./http-error.ts";
import type { SocketData } from "./sockets.ts";
import type {
  BodyReader,
  Bound,
  Caller,
  Elder,
  Exchange,
  Leaver,
  SocketHandlers,
} from "./types.ts";

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

/**
 * How long a connection may idle: before and within the head of a request, and between requests. Proxies and balancers keep
 * theirs for later, most for 60 s, 90 s or 2 minutes: it is for them to end one first, or a request meets one that just ended.
 */
export const idleSeconds = 130;

/**
 * Most requests are answered sooner. It is not worth to listen for their clients before (a signal, and a listener of it,
 * cost more than many a call): one that has left may go unnoticed for so long.
 */
export const youngMs = 50;

/** After how long a request that is being answered is kept from being cut off for its silence. */
export const slowMs = 10_000;

export abstract class Incoming implements Exchange, Due, EventListenerObject {
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
  #elder: Elder | undefined;
  /** Where its client is listened for. */
  #heard: AbortSignal | undefined;
  /** It became a WebSocket: there is no answer. */
  isUpgraded = false;
  /** Its answer is a stream. */
  isKeptOpen = false;
  #isOld = false;
  #isSlow = false;
  /** Its answer was given. */
  isAnswered = false;

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
    this.#elder?.aged();
    if (this.isAnswered) return;
    this.#body?.hasten();
    answering.add(this);
  }

  /** It was answered: the connection may idle for its time. */
  answered(): void {
    const { young, answering, server } = this.#world;
    this.isAnswered = true;
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
    return this.request.params ?? none;
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
    // An answer that was given whole is not to be left any more.
    this.#leaver = this.isAnswered && !this.isKeptOpen ? undefined : leaver;
    if (this.#isOld) this.#listen();
  }

  onAge(elder: Elder): void {
    this.#elder = elder;
    if (this.#isOld) elder.aged();
  }

  get signal(): AbortSignal {
    return (this.#signal ??= AbortSignal.any([this.left, this.#world.ending]));
  }

  abstract later(): Promise<Response>;

  abstract respond(response: Response | Promise<Response>): void;

  abstract fail(error: unknown): void;

  read(reader: BodyReader): void {
    try {
      this.#body = new Body(this.request, this.#world.limits, reader);
    } catch (error) {
      return reader.broke(error);
    }
    if (this.#isOld) this.#body.hasten();
  }

  text(): Promise<string> {
    return new Promise((took, broke) => this.read({ took, broke }));
  }

  json(): Promise<Json> {
    return this.text().then(jsonIn);
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

// --- internal ---

const none: Readonly<Record<string, string>> = Object.freeze({});
