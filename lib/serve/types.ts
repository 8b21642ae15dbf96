/** What the faces of `serve` (REST, OpenAPI, the gateway, watching) share: a route, and what a request brings. Types only. */
import type { HostError } from "../base/errors.ts";
import type { Json } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { Store } from "../store/store.ts";
import type { CallBook } from "./calls-book.ts";
import type { Discovery } from "./discovery.ts";
import type { Profiles } from "./profiles.ts";
import type { ServedConfig } from "./servers-config.ts";

/** A token that requests may carry, as `serve.tokens` of the config has it. */
export interface Token {
  /** The owner of what is done with it. */
  name: string;
  /** The secret itself. */
  token: string;
  /** Globs over own names, exposed names and `SERVER.TOOL`: what it may see and call. @default everything */
  tools?: string[];
}

/** Who asks, once the guard has let them in. */
export interface Caller {
  /** The token's name, `default` without one. Approvals, grants, sessions and caches are keyed by it. */
  owner: string;
  /** Whether a tool may be seen and called; by all of its names. */
  allows(names: readonly string[]): boolean;
  /** It carried a token or the start key, so it may decide and change. */
  hasToken: boolean;
  /** Its token is for some tools alone: it changes nothing that others have. @default false */
  isBound?: boolean;
  /** A token is asked for and it carried none: it is at a route that is `open`, and is told the least. @default false */
  isStranger?: boolean;
  /** Fires when its token counts no more: what it has open ends. */
  gone?: AbortSignal;
}

/** One request on its way through a face. */
export interface Exchange {
  request: Request;
  url: URL;
  /** The variables of the route's path, decoded. */
  params: Readonly<Record<string, string>>;
  caller: Caller;
  /** Fires when the client has left, or its token counts no more. */
  left: AbortSignal;
  /** The same, and when the time that running requests have to end is over. */
  signal: AbortSignal;
  /** Who hears that the client has left before its answer, in place of `left`, which costs more; undefined: nobody any more. */
  onLeave(leaver: Leaver | undefined): void;
  /** Who hears, once, that the answer takes longer than most, by now: to wait under a clock is for those. */
  onAge(elder: Elder): void;
  /** The body as JSON that loses no digit (`parseJson`); as `text`. */
  json(): Promise<Json>;
  /** The body as it came; within the bound, counted while it is read. @throws HttpError 400 · 408 · 413 · 415 */
  text(): Promise<string>;
  /** The same for a reader, which costs less than a promise. */
  read(reader: BodyReader): void;
  /** What a handler returns whose answer comes by `respond` or `fail`, which costs less than a promise of its own. */
  later(): Promise<Response>;
  /** The answer. What comes after it does nothing. */
  respond(response: Response | Promise<Response>): void;
  /** As what a handler throws. */
  fail(error: unknown): void;
  /**
   * The answer is a stream: from here on the connection may be quiet for as long as it likes. `false`, just before the
   * stream ends, takes that back. (A handler may always take its time before it answers.)
   */
  keepOpen(isOpen?: boolean): void;
  /** Makes a WebSocket of the connection; the handler then returns undefined. @throws HttpError 426 where it is no upgrade, 503 */
  upgrade(handlers: SocketHandlers, headers?: Record<string, string>): void;
}

/** Who is handed a body, once. It never throws. */
export interface BodyReader {
  took(text: string): void;
  /** As of `Exchange.text`. */
  broke(error: unknown): void;
}

/** Whoever works for a client. */
export interface Leaver {
  /** It has left, within this moment or a few before. */
  left(): void;
}

/** Whoever makes an answer that may take long. */
export interface Elder {
  /** It does, or has been given. Never throws. */
  aged(): void;
}

/** What a face does with a WebSocket. */
export interface SocketHandlers {
  open?(socket: Socket): void;
  /** A text frame is a string. */
  message(socket: Socket, data: string | Uint8Array): void;
  /** What was sent has left: more may be. */
  drain?(socket: Socket): void;
  close?(socket: Socket, code: number, reason: string): void;
}

/** One WebSocket. */
export interface Socket {
  /** As of Bun: -1 where it waits, 0 where it was dropped, else the bytes sent. */
  send(text: string): number;
  close(code?: number, reason?: string): void;
  /** Ends it at once: what waits to be sent is lost. */
  terminate(): void;
  /** Bytes that wait to be sent. */
  getBufferedAmount(): number;
}

export interface Route {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As of `Bun.serve`: `/tools/:name`. */
  path: string;
  /** Only with a token, on loopback too. @default false */
  decides?: boolean;
  /** Answered without a token too where tokens are asked for (`/health`). @default false */
  open?: boolean;
  /**
   * What is thrown becomes an answer: HttpError as it says, HostError by its code, anything else 500 without its text.
   * Undefined after `upgrade` alone.
   */
  handle(exchange: Exchange): Response | undefined | Promise<Response | undefined>;
}

/** A part of what is served: its routes. */
export type Face = (context: ServeContext) => Route[];

/** What every face is given. */
export interface ServeContext {
  host: OpenedHost;
  log: Log;
  /** Fires when the process begins to stop: streams end, no new work is taken. */
  stopping: AbortSignal;
  /** Hides what must not be shown (secrets of the config, by their values) in a text that is about a server. */
  redact: (text: string) => string;
  /** The clock in milliseconds since the epoch, by which things are dated; it may jump. */
  now: () => number;
  /** The clock in milliseconds by which times run out: it only goes up. */
  steady: () => number;
  /** How many streams and sockets may still be opened; `eventStream` and `upgrade` take and release by themselves. */
  streams: Bound;
  /** How many clients may still have servers of their own. */
  guests: Shares;
  /** There are several owners: none of them is to have all of something. */
  isShared: () => boolean;
  /** How far the first look at the servers is. */
  discovery: Discovery;
  /** Choices of tools that clients may ask for. */
  profiles: Profiles;
  /** The config of the servers, where there is one that may be read again. */
  config?: ServedConfig;
  /** Why plugins that were loaded again do not count. @default they do */
  pluginsError?: () => HostError | undefined;
  /** What waits for approval, and what is always allowed. @default nothing is kept */
  approvals?: Approvals;
  /** Every call goes through it, so that its owner sees it. */
  calls: CallBook;
}

/** Where approvals lie. */
export interface Approvals {
  /** @throws HostError `config` */
  store(): Promise<Store>;
  /** Calls that wait there and whose process is gone are taken over. @default false */
  adopts?: boolean;
}

/** A bound on how many there are at a time, of all owners. */
export interface Shares {
  readonly max: number;
  readonly size: number;
  /** False where all are taken, or as many as this owner may have. What was taken is released once. */
  take(owner: string): boolean;
  release(owner: string): void;
}

/** A bound on how many there are at a time. */
export interface Bound {
  readonly max: number;
  readonly size: number;
  /** False where all are taken. What was taken is released once. */
  take(): boolean;
  release(): void;
}
