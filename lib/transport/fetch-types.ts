/** What the fetch of a remote server is made of, and what its parts hand to each other. Types and defaults only. */
import type { Log } from "../base/log.ts";
import type { Cookies } from "./cookies.ts";
import type { Fetch } from "./remote.ts";

/** Certificates and keys as PEM text. */
export interface FetchTls {
  /** Trusted instead of the usual authorities. */
  ca?: string;
  /** What we show to a server that asks who we are, and its key. */
  cert?: string;
  key?: string;
  /** Of an encrypted `key`. */
  passphrase?: string;
  /** Takes any certificate: whoever is in between can read and change everything. @default false */
  insecure?: boolean;
}

export interface FetchOptions {
  /** The server's configured name, for messages and logs. */
  name: string;
  log: Log;
  /** Sent with each request, under those that the request brings itself. */
  headers?: Readonly<Record<string, string>>;
  tls?: FetchTls | undefined;
  /**
   * Our environment: `HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY` in both cases, and `NODE_EXTRA_CA_CERTS SSL_CERT_FILE
   * SSL_CERT_DIR`. @default none of them
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long it may take to reach the server at all; for how long it may be silent then is the caller's. @default 10000 */
  connectTimeoutMs?: number | undefined;
  /** How long we wait altogether for a server that refuses and says when it has time (`Retry-After`). @default 30000 */
  retryMsMax?: number | undefined;
  /** What was asked before this fetch was there. */
  ahead?: Answered | undefined;
}

/** Requests that were made already. */
export interface Answered {
  /**
   * What came of the one with this body, once; undefined where there is none.
   * @throws HostError `uncertain`: it is a call, and another one was made for it
   */
  again(
    body: RequestInit["body"],
    signal: AbortSignal | null | undefined,
  ): Promise<Response> | undefined;
}

/** A fetch whose idle connections are closed when it is disposed; requests in flight finish. */
export type ServerFetch = Fetch & Disposable;

/** One request on its way. */
export interface Outgoing {
  url: URL;
  init: RequestInit;
  /** Those of `init`, and ours. */
  headers: RequestInit["headers"];
}

/** What the files that are loaded on demand need of a fetch. */
export interface FetchContext {
  options: FetchOptions;
  /** Sends once, and follows nothing. @throws HostError */
  send(request: Outgoing): Promise<Response>;
}

/** What changes over the life of a fetch. */
export interface Link {
  session: Bun.FetchSession;
  readonly ahead: Answered | undefined;
  /** The authorities that our environment names were added to the usual ones. */
  trustsMore: boolean;
  /** The server has answered before. */
  reached: boolean;
  /** Once it has set some. */
  cookies?: Cookies;
}

/** The default of `connectTimeoutMs`. */
export const connectTimeoutMs = 10_000;
