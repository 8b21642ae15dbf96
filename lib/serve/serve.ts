/**
 * The HTTP server: guard and routes folded once into `Bun.serve`, and the servers behind them looked at. It knows no face,
 * and owns neither the host nor what the faces keep.
 */
import { Deadlines } from "../base/deadlines.ts";
import { Adopting } from "./adopting.ts";
import { handlersOf } from "./answer.ts";
import { boundOf } from "./bound.ts";
import { CallBook } from "./calls-book.ts";
import { type Lifecycle, Lifecycles } from "./discovery.ts";
import { slowMs, youngMs } from "./exchange.ts";
import type { ExchangeWorld } from "./exchange.ts";
import { noted } from "./guard-noted.ts";
import { isLoopback } from "./guard.ts";
import { type Handlers, listen, listenUnix } from "./listen.ts";
import { Profiles } from "./profiles.ts";
import { rootRoute } from "./root.ts";
import { Running } from "./running.ts";
import type { Served, ServeOptions } from "./serve-types.ts";
import { served } from "./served.ts";
import { Applying } from "./servers-apply.ts";
import { ServedConfig } from "./servers-config.ts";
import { sharesOf } from "./shares.ts";
import { socketHandler } from "./sockets.ts";
import type { SocketData } from "./sockets.ts";
import type { ServeContext } from "./types.ts";

/**
 * Begins to listen.
 * @throws HostError `usage` (another address than loopback without a token) · `config` (the port is taken, the address is not ours)
 */
export function serve(options: ServeOptions): Served {
  const stopping = new AbortController();
  const ending = new AbortController();
  const { source, log } = options;
  const config: ServedConfig | undefined =
    source && new ServedConfig({ source, log, apply: (...more) => applying!.apply(...more) });
  const context = contextOf(options, {
    stopping: stopping.signal,
    ending: ending.signal,
    config,
    lifecycles: () => lifecycles,
    isShared: () => guard.isShared,
  });
  const faced = options.faces.flatMap((face) => face(context));
  const hostname = options.unix === undefined ? (options.hostname ?? hostnameDefault) : undefined;
  const guard = noted(context, {
    hostname,
    port: () => server.port ?? 0,
    secure: options.tls !== undefined,
    origins: options.origins ?? [],
    publicUrl: options.publicUrl,
    tokens: options.tokens ?? [],
    startKey: options.startKey,
    keyPlace: () =>
      hostname === undefined || isLoopback(hostname) ? options.keyPlace?.(server.port) : undefined,
  });
  const running = new Running();
  const limits = {
    bytesMax: options.bodyBytesMax ?? bodyBytesMaxDefault,
    timeMs: options.bodyMs ?? bodyMsDefault,
    reading: new Deadlines(options.bodyMs ?? bodyMsDefault),
  };
  const [young, answering] = [new Deadlines(youngMs), new Deadlines(slowMs)];
  const { streams, profiles } = context;
  const world = { limits, streams, ending: ending.signal, young, answering } as ExchangeWorld;
  const handlers: Handlers = {
    ...handlersOf([...faced, rootRoute(faced)], { guard, context, running, world }),
    websocket: { ...socketHandler, maxPayloadLength: limits.bytesMax },
  };
  const server = listenAt(options, handlers);
  world.server = server;
  const servers = options.servers ?? options.host.servers().map(({ name }) => lazy(name));
  const lifecycles = new Lifecycles(options.host, servers, stopping.signal);
  const applying: Applying | undefined =
    config && new Applying(config, { hostname, guard, profiles, lifecycles, log });
  const adopting = context.approvals && new Adopting(context, context.approvals);
  stopping.signal.addEventListener(
    "abort",
    () => {
      // Whoever wants to hear of the end listens from now on.
      young.expireAll();
      lifecycles[Symbol.dispose]();
      applying?.[Symbol.dispose]();
      adopting?.[Symbol.dispose]();
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

interface Within {
  stopping: AbortSignal;
  ending: AbortSignal;
  config: ServedConfig | undefined;
  /** They begin once we listen. */
  lifecycles: () => Lifecycles;
  /** As of the guard, which comes later. */
  isShared: () => boolean;
}

/** What every face is given. */
function contextOf(
  options: ServeOptions,
  { stopping, ending, config, lifecycles, isShared }: Within,
): ServeContext {
  const { host, log, redact = (text) => text, approvals, pluginsError } = options;
  const { now = Date.now, steady = () => performance.now() } = options;
  return {
    host,
    log,
    stopping,
    redact,
    now,
    steady,
    streams: boundOf(options.streamsMax ?? streamsMaxDefault),
    guests: sharesOf(options.guestsMax ?? guestsMaxDefault, isShared),
    isShared,
    calls: new CallBook({ host, now, ending }),
    discovery: {
      get isReady() {
        return lifecycles().isReady;
      },
      get done() {
        return lifecycles().done;
      },
    },
    profiles: new Profiles(config?.config.profiles ?? {}),
    ...(config && { config }),
    ...(approvals && { approvals }),
    ...(pluginsError && { pluginsError }),
  };
}

function listenAt(options: ServeOptions, handlers: Handlers): Bun.Server<SocketData> {
  const { unix, tls, hostname = hostnameDefault, port = portDefault, tokens = [] } = options;
  if (unix !== undefined) return listenUnix(unix, { tls, handlers });
  return listen({ hostname, port, tls, asksToken: tokens.length > 0, handlers });
}

function lazy(name: string): Lifecycle {
  return { name, lifecycle: "lazy" };
}
