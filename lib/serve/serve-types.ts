/** What is served, and how; and what is known of a server that listens. Types only. */
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { Lifecycle } from "./discovery.ts";
import type { ConfigSource } from "./servers-config.ts";
import type { Approvals, Face, ServeContext, Token } from "./types.ts";

export interface ServeOptions {
  host: OpenedHost;
  log: Log;
  faces: readonly Face[];
  /** The servers that are looked at in the beginning. @default all that the host has, as `lazy` */
  servers?: readonly Lifecycle[];
  /** Where approvals and grants lie. @default nothing is kept, and what is asked about is denied */
  approvals?: Approvals;
  /** As of `ServeContext`. */
  pluginsError?: ServeContext["pluginsError"];
  /** Where the config comes from, to be read again when its files change. @default it is not */
  source?: ConfigSource;
  /** Only loopback without a token. @default "127.0.0.1" */
  hostname?: string;
  /** 0: any free one. @default 3003 */
  port?: number;
  /** The path of a socket, in place of `hostname` and `port`. */
  unix?: string;
  /** PEM texts. */
  tls?: { cert: string; key: string };
  /** Origins of other pages that may ask. @default none */
  origins?: readonly string[];
  publicUrl?: string;
  /** With any, every request must carry one. @default none */
  tokens?: readonly Token[];
  /** Opens the deciding routes. */
  startKey?: string;
  /** Where that lies, as programs of this machine may be told who lack it. @default they are not told */
  keyPlace?: (port: number | undefined) => string | undefined;
  /** @default 16 MiB */
  bodyBytesMax?: number;
  /** How long a body may take. @default 60000 */
  bodyMs?: number;
  /** Streams and sockets at a time. @default 2000 */
  streamsMax?: number;
  /** Clients with servers of their own, at a time. @default 64 */
  guestsMax?: number;
  /** How long running requests have to end once it stops. @default 3000 */
  graceMs?: number;
  /** @default nothing is hidden */
  redact?: (text: string) => string;
  /** The clock in milliseconds since the epoch, by which things are dated. @default Date.now */
  now?: () => number;
  /** The clock in milliseconds by which times run out: it only goes up. @default performance.now */
  steady?: () => number;
}

/** A server that listens. */
export interface Served extends AsyncDisposable {
  /** Where it is reached, without a final slash; `unix:PATH` for a socket. */
  url: string;
  /** Undefined for a socket. */
  port: number | undefined;
  /** As the faces were given it. */
  context: ServeContext;
  /** Takes nothing new, lets running requests end, then closes. A second call closes at once. */
  stop(): Promise<void>;
  /** Settles once it has closed. */
  closed: Promise<void>;
}
