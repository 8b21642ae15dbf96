/**
 * The HTTP server: guard and routes folded once into `Bun.serve`, and its end in two steps. It knows no face, and owns
 * neither the host nor what the faces keep.
 */
import { settlesWithin } from "../base/async.ts";
import { Deadlines } from "../base/deadlines.ts";
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/types.ts";
import { handlersOf } from "./answer.ts";
import { boundOf } from "./bound.ts";
import { CallBook } from "./calls-book.ts";
import { type Lifecycle, Lifecycles } from "./discovery.ts";
import { slowMs, socketHandler } from "./exchange.ts";
import type { ExchangeWorld, SocketData } from "./exchange.ts";
import { createGuard } from "./guard.ts";
import { type Handlers, listen, listenUnix } from "./listen.ts";
import { Profiles } from "./profiles.ts";
import { rootRoute } from "./root.ts";
import { Running } from "./running.ts";
import { Applying } from "./servers-apply.ts";
import { type ConfigSource, ServedConfig } from "./servers-config.ts";
import type { Face, ServeContext, Token } from "./types.ts";

export interface ServeOptions {
  host: OpenedHost;
  log: Log;
  faces: readonly Face[];
  /** The servers that are looked at in the beginning. @default all that the host has, as `lazy` */
  servers?: readonly Lifecycle[];
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
  now?: () => number;
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

/**
 * Begins to listen.
 * @throws HostError `usage` (another address than loopback without a token) · `config` (the port is taken, the address is not ours)
 */
export function serve(options: ServeOptions): Served {
  const stopping = new AbortController();
  const ending = new AbortController();
  const streams = boundOf(options.streamsMax ?? streamsMaxDefault);
  const { source, log } = options;
  const config: ServedConfig | undefined =
    source && new ServedConfig({ source, log, apply: (...more) => applying!.apply(...more) });
  const context: ServeContext = {
    host: options.host,
    log,
    stopping: stopping.signal,
    redact: options.redact ?? ((text) => text),
    now: options.now ?? Date.now,
    streams,
    guests: boundOf(options.guestsMax ?? guestsMaxDefault),
    calls: new CallBook({
      host: options.host,
      now: options.now ?? Date.now,
      ending: ending.signal,
    }),
    discovery: {
      get isReady() {
        return lifecycles.isReady;
      },
      get done() {
        return lifecycles.done;
      },
    },
    profiles: new Profiles(source?.config.profiles ?? {}),
    ...(config && { config }),
  };
  const faced = options.faces.flatMap((face) => face(context));
  const hostname = options.unix === undefined ? (options.hostname ?? hostnameDefault) : undefined;
  const guard = createGuard({
    hostname,
    port: () => server.port ?? 0,
    secure: options.tls !== undefined,
    origins: options.origins ?? [],
    publicUrl: options.publicUrl,
    tokens: options.tokens ?? [],
    startKey: options.startKey,
  });
  const running = new Running();
  const limits = {
    bytesMax: options.bodyBytesMax ?? bodyBytesMaxDefault,
    timeMs: options.bodyMs ?? bodyMsDefault,
    reading: new Deadlines(options.bodyMs ?? bodyMsDefault),
  };
  const answering = new Deadlines(slowMs);
  const world = { limits, streams, ending: ending.signal, answering } as ExchangeWorld;
  const handlers: Handlers = {
    ...handlersOf([...faced, rootRoute(faced)], { guard, context, running, world }),
    websocket: { ...socketHandler, maxPayloadLength: limits.bytesMax },
  };
  const server = listenAt(options, handlers);
  world.server = server;
  const servers = options.servers ?? options.host.servers().map(({ name }) => lazy(name));
  const lifecycles = new Lifecycles(options.host, servers, stopping.signal);
  const { profiles } = context;
  const applying: Applying | undefined =
    config && new Applying(config, { hostname, guard, profiles, lifecycles, log });
  stopping.signal.addEventListener(
    "abort",
    () => {
      lifecycles[Symbol.dispose]();
      applying?.[Symbol.dispose]();
    },
    { once: true },
  );
  return served(server, { options, context, stopping, ending, running });
}

// --- internal ---

const hostnameDefault = "127.0.0.1";
const portDefault = 3003;
const bodyBytesMaxDefault = 16 * 1024 * 1024;
const bodyMsDefault = 60_000;
const streamsMaxDefault = 2000;
const guestsMaxDefault = 64;
const graceDefaultMs = 3000;
/** For the answers of those whose time was over. */
const toldMs = 500;

function listenAt(options: ServeOptions, handlers: Handlers): Bun.Server<SocketData> {
  const { unix, tls, hostname = hostnameDefault, port = portDefault, tokens = [] } = options;
  if (unix !== undefined) return listenUnix(unix, { tls, handlers });
  return listen({ hostname, port, tls, asksToken: tokens.length > 0, handlers });
}

function lazy(name: string): Lifecycle {
  return { name, lifecycle: "lazy" };
}

interface Ending {
  options: ServeOptions;
  context: ServeContext;
  stopping: AbortController;
  ending: AbortController;
  running: Running;
}

function served(
  server: Bun.Server<SocketData>,
  { options, context, stopping, ending, running }: Ending,
): Served {
  const closed = Promise.withResolvers<void>();
  let stops = 0;
  const end = async () => {
    const reason = new HostError("cancelled", "mcphost serve is stopping");
    stopping.abort(reason);
    // Answers that are made, and on their way.
    const quiet = Promise.all([running.none(), server.stop()]);
    if (!(await settlesWithin(quiet, options.graceMs ?? graceDefaultMs))) {
      ending.abort(reason);
      await settlesWithin(quiet, toldMs);
    }
    await server.stop(true);
  };
  const stop = async () => {
    stops += 1;
    if (stops === 1) void end().finally(closed.resolve);
    else {
      ending.abort(new HostError("cancelled", "mcphost serve was stopped at once"));
      await server.stop(true);
      closed.resolve();
    }
    await closed.promise;
  };
  return {
    url: options.unix === undefined ? server.url.origin : `unix:${options.unix}`,
    port: options.unix === undefined ? server.port : undefined,
    context,
    stop,
    closed: closed.promise,
    [Symbol.asyncDispose]: stop,
  };
}
