/** What the faces of `serve` (REST, OpenAPI, the gateway, watching) share: a route, and what a request brings. Types only. */
import type { Json } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/types.ts";

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
}

/** One request on its way through a face. */
export interface Exchange {
  request: Request;
  url: URL;
  /** The variables of the route's path, decoded. */
  params: Readonly<Record<string, string>>;
  caller: Caller;
  /** Fires when the client has left or the process stops. */
  signal: AbortSignal;
  /** The body as JSON; within the bound, counted while it is read. @throws HttpError 400 · 413 · 415 */
  json(): Promise<Json>;
  /** From here on this connection may be quiet for as long as it likes (a stream). */
  keepOpen(): void;
}

export interface Route {
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** As of `Bun.serve`: `/tools/:name`. */
  path: string;
  /** Only with a token, on loopback too. @default false */
  decides?: boolean;
  /** What is thrown becomes an answer: HttpError as it says, HostError by its code, anything else 500 without its text. */
  handle(exchange: Exchange): Response | Promise<Response>;
}

/** What every face is given. */
export interface ServeContext {
  host: OpenedHost;
  log: Log;
  /** Fires when the process begins to stop: streams end, no new work is taken. */
  stopping: AbortSignal;
  /** The clock in milliseconds since the epoch. */
  now: () => number;
}
