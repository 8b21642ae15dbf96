/**
 * Who may ask what: Host and Origin of every request, tokens, the routes that decide, and preflight. It reads headers
 * alone, answers nothing but preflight, and keeps nothing.
 */
import { shorten } from "../base/clip.ts";
import { HttpError } from "./http-error.ts";
import { Tokens } from "./tokens.ts";
import type { Caller, Route, Token } from "./types.ts";

export interface GuardOptions {
  /** Where we listen: an IP address, a name, or undefined for a unix socket (whose Host says nothing). */
  hostname: string | undefined;
  /** Called once we listen: the port may have been 0. */
  port: () => number;
  /** TLS is spoken. */
  secure: boolean;
  /** Other origins that pages may have: they get CORS answers. */
  origins: readonly string[];
  /** How others reach us, through a proxy that keeps the Host. */
  publicUrl: string | undefined;
  /** With any, every request must carry one. */
  tokens: readonly Token[];
  /** What opens the deciding routes where no token is asked for; counts as a token that may do everything. */
  startKey: string | undefined;
  /** Where that lies, for those who are refused. @default they are not told */
  keyPlace?: () => string | undefined;
}

export interface Guard {
  /** @throws HttpError 400 · 401 · 403 */
  admit(request: Request, route: Pick<Route, "decides" | "open"> | undefined): Caller;
  /** Host and Origin alone: for what no route answers. @throws HttpError 400 · 403 */
  check(request: Request): void;
  /** The answer to `OPTIONS`, for the methods of a path. @throws HttpError 403 */
  preflight(request: Request, methods: readonly string[]): Response;
  /** There are tokens of several owners. */
  readonly isShared: boolean;
  /** From now on requests carry one of these tokens; what others have open ends. */
  retoken(tokens: readonly Token[]): void;
  /** Adds what a page of an allowed origin needs to read the answer. */
  dress(request: Request, response: Response): Response;
}

/** Folds the options into checks that cost next to nothing for each request. */
export function createGuard(options: GuardOptions): Guard {
  const configured = new Set(
    options.origins.map((origin) => (originOf(origin) ?? origin).toLowerCase()),
  );
  const publicUrl = options.publicUrl === undefined ? undefined : new URL(options.publicUrl);
  const tokens = new Tokens(options.tokens, options.startKey, options.keyPlace);
  let own: Own | undefined;
  // Names are known once the port is.
  const ours = () => (own ??= ownNames(options, publicUrl));
  const isEverywhere = options.hostname === "0.0.0.0" || options.hostname === "::";
  // Where we listen at all addresses we do not know them; no name can be bent to one that is written out (DNS rebinding).
  const isOwnAddress = (host: string) => isEverywhere && addressOf(host) === String(options.port());

  function check(request: Request): void {
    const { hosts, origins } = ours();
    const host = request.headers.get("host");
    if (
      hosts !== undefined &&
      (host === null || !(hosts.has(host) || hosts.has(host.toLowerCase()) || isOwnAddress(host)))
    )
      throw new HttpError(host === null ? 400 : 403, "forbidden", hostRefused(host), {
        hint: "ask by a loopback name and our port, or set serve.publicUrl to the address that clients use",
      });
    const origin = request.headers.get("origin");
    if (origin === null) return;
    const name = origin.toLowerCase();
    if (!origins.has(name) && !configured.has(name))
      throw new HttpError(403, "forbidden", `the Origin ${quoted(origin)} may not ask here`, {
        hint: "--origin ORIGIN (serve.origins in the config) lets its pages in",
      });
  }

  return {
    check,
    admit(request, route) {
      check(request);
      return tokens.callerOf(request, route);
    },
    get isShared() {
      return tokens.areOfSeveral;
    },
    retoken(now) {
      tokens.replace(now);
    },
    preflight(request, methods) {
      check(request);
      const origin = request.headers.get("origin");
      const isAllowed = origin !== null && configured.has(origin.toLowerCase());
      const headers = isAllowed ? preflightHeaders(request, origin, methods) : {};
      return new Response(null, {
        status: 204,
        headers: { ...headers, allow: methods.join(", ") },
      });
    },
    dress(request, response) {
      if (configured.size === 0) return response;
      const origin = request.headers.get("origin");
      response.headers.set("vary", "origin");
      if (origin === null || !configured.has(origin.toLowerCase())) return response;
      for (const [name, value] of Object.entries(corsHeaders(origin)))
        response.headers.set(name, value);
      return response;
    },
  };
}

/** True for an address that only programs of this machine reach. */
export function isLoopback(hostname: string): boolean {
  const name = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || /^127(\.\d{1,3}){3}$/.test(name);
}

// --- internal ---

/** An origin as browsers write it; undefined for what is none. */
function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || url.host === "") return undefined;
  return `${url.protocol}//${url.host}`;
}

/** The port of a Host that is an address and no name. */
function addressOf(host: string): string | undefined {
  return /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\]):(\d+)$/i.exec(host)?.[1];
}

/** Undefined `hosts`: any will do (a unix socket, which no page reaches). */
interface Own {
  hosts: ReadonlySet<string> | undefined;
  origins: ReadonlySet<string>;
}

/** The names that we answer to: loopback ones, the one that we listen at, and the public one. */
function ownNames({ hostname, port, secure }: GuardOptions, publicUrl: URL | undefined): Own {
  const scheme = secure ? "https" : "http";
  const publics = publicUrl === undefined ? [] : [publicUrl.host];
  if (hostname === undefined) return { hosts: undefined, origins: new Set(originsOf(publicUrl)) };
  const names = ["localhost", "127.0.0.1", "[::1]"];
  const bare = hostname.includes(":") ? `[${hostname.replace(/^\[|\]$/g, "")}]` : hostname;
  if (bare !== "0.0.0.0" && bare !== "[::]") names.push(bare.toLowerCase());
  const at = port();
  const isDefault = at === (secure ? 443 : 80);
  const own = names.flatMap((name) => (isDefault ? [name, `${name}:${at}`] : [`${name}:${at}`]));
  return {
    hosts: new Set([...own, ...publics]),
    origins: new Set([...own.map((name) => `${scheme}://${name}`), ...originsOf(publicUrl)]),
  };
}

function originsOf(url: URL | undefined): string[] {
  return url === undefined ? [] : [`${url.protocol}//${url.host}`];
}

function hostRefused(host: string | null): string {
  return host === null ? "the request has no Host" : `the Host ${quoted(host)} is not ours`;
}

/** A header of a stranger, cut short. */
function quoted(text: string): string {
  return JSON.stringify(shorten(text, 100));
}

function preflightHeaders(
  { headers }: Request,
  origin: string,
  methods: readonly string[],
): Record<string, string> {
  return {
    vary: "origin",
    ...corsHeaders(origin),
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers":
      headers.get("access-control-request-headers") ?? "content-type, authorization",
    "access-control-max-age": "600",
  };
}

function corsHeaders(origin: string): Record<string, string> {
  return {
    "access-control-allow-origin": origin,
    "access-control-expose-headers":
      "mcp-session-id, mcp-protocol-version, www-authenticate, mcphost-call, etag, location, retry-after",
  };
}
