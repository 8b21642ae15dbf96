/**
 * The HTTP server: guard and routes folded once into `Bun.serve`, and its end in two steps. It knows no face, and owns
 * neither the host nor what the faces keep.
 */
import { settlesWithin } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/types.ts";
import { boundOf } from "./bound.ts";
import { CallBook } from "./calls-book.ts";
import { discover, type Lifecycle, stopIdle } from "./discovery.ts";
import { Incoming, socketHandler } from "./exchange.ts";
import type { ExchangeWorld, SocketData } from "./exchange.ts";
import { createGuard, type Guard } from "./guard.ts";
import { errorResponse, HttpError, isHttpError } from "./http-error.ts";
import { type Handlers, listen, listenUnix } from "./listen.ts";
import { rootRoute } from "./root.ts";
import type { Face, Route, ServeContext, Token } from "./types.ts";

export interface ServeOptions {
  host: OpenedHost;
  log: Log;
  faces: readonly Face[];
  /** The servers that are looked at in the beginning. @default all that the host has, as `lazy` */
  servers?: readonly Lifecycle[];
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
  /** How long running requests have to end once it stops. @default 3000 */
  graceMs?: number;
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
  const context: ServeContext = {
    host: options.host,
    log: options.log,
    stopping: stopping.signal,
    now: options.now ?? Date.now,
    streams,
    calls: new CallBook({ host: options.host, now: options.now ?? Date.now }),
    discovery: {
      get isReady() {
        return discovery.isReady;
      },
      get done() {
        return discovery.done;
      },
    },
  };
  const faced = options.faces.flatMap((face) => face(context));
  const table = methodsByPath([...faced, rootRoute(faced)]);
  const guard = createGuard({
    hostname: options.unix === undefined ? (options.hostname ?? hostnameDefault) : undefined,
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
  };
  const folded: Folded = { guard, context, running };
  const world = { limits, streams, ending: ending.signal } as ExchangeWorld;
  const routes = Object.fromEntries(
    [...table].map(([path, methods]) => [
      path,
      (request: Bun.BunRequest) => answer(request, methods, world, folded),
    ]),
  );
  const handlers: Handlers = {
    routes,
    fetch: (request: Request) => answer(request as Bun.BunRequest, undefined, world, folded),
    // Only what is thrown outside of our own answers comes here: nothing of it is told.
    error: (error: Error) => errorResponse(error),
    websocket: { ...socketHandler, maxPayloadLength: limits.bytesMax },
  };
  const { unix, tls } = options;
  const server =
    unix === undefined
      ? listen({
          hostname: options.hostname ?? hostnameDefault,
          port: options.port ?? portDefault,
          tls,
          asksToken: (options.tokens ?? []).length > 0,
          serve: handlers,
        })
      : listenUnix(unix, { tls, serve: handlers });
  world.server = server;
  const servers = options.servers ?? options.host.servers().map(({ name }) => lazy(name));
  const discovery = discover(options.host, servers, stopping.signal);
  const idle = stopIdle(options.host, servers);
  stopping.signal.addEventListener("abort", () => idle[Symbol.dispose](), { once: true });
  return served(server, { options, context, stopping, ending, running });
}

// --- internal ---

const hostnameDefault = "127.0.0.1";
const portDefault = 3003;
const bodyBytesMaxDefault = 16 * 1024 * 1024;
const bodyMsDefault = 60_000;
const streamsMaxDefault = 2000;
const graceDefaultMs = 3000;
/** For the answers of those whose time was over. */
const toldMs = 500;

function lazy(name: string): Lifecycle {
  return { name, lifecycle: "lazy" };
}

type Methods = Readonly<Record<string, Route | undefined>>;

interface Folded {
  guard: Guard;
  context: ServeContext;
  running: Running;
}

function methodsByPath(routes: readonly Route[]): Map<string, Methods> {
  const table = new Map<string, Record<string, Route>>();
  for (const route of routes) {
    const methods = table.get(route.path) ?? (Object.create(null) as Record<string, Route>);
    if (methods[route.method] !== undefined)
      throw new Error(`two faces answer ${route.method} ${route.path}`);
    methods[route.method] = route;
    table.set(route.path, methods);
  }
  return table;
}

/** Every request comes by here. Undefined: it became a WebSocket. */
async function answer(
  request: Bun.BunRequest,
  methods: Methods | undefined,
  world: ExchangeWorld,
  { guard, context, running }: Folded,
): Promise<Response> {
  let exchange: Incoming | undefined;
  running.begin();
  try {
    if (context.stopping.aborted) throw stoppingNow();
    if (request.method === "OPTIONS") return guard.preflight(request, allowed(methods));
    const route = methods?.[request.method === "HEAD" ? "GET" : request.method];
    const caller = guard.admit(request, route);
    if (route === undefined) throw methods === undefined ? notFound(request) : notHere(methods);
    exchange = new Incoming(request, caller, world);
    const response = await route.handle(exchange);
    // Bun takes undefined for an answer only after an upgrade.
    if (response === undefined) return undefined as unknown as Response;
    return guard.dress(request, response);
  } catch (error) {
    if (!isHttpError(error)) logFailure(error, request, context.log);
    return guard.dress(request, errorResponse(error));
  } finally {
    if (exchange?.isUpgraded === false) exchange.answered();
    running.end();
  }
}

/** How many requests are being answered, and when none is. */
class Running {
  #count = 0;
  #waiting: (() => void)[] = [];

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  none(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
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
    const quiet = server.stop();
    if (!(await settlesWithin(running.none(), options.graceMs ?? graceDefaultMs))) {
      ending.abort(reason);
      await settlesWithin(running.none(), toldMs);
    }
    // What is left are answers on their way and connections that idle.
    await settlesWithin(quiet, toldMs);
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

function allowed(methods: Methods | undefined): string[] {
  const names = Object.keys(methods ?? {});
  return [...names, ...(names.includes("GET") ? ["HEAD"] : []), "OPTIONS"];
}

function notFound(request: Request): HttpError {
  const path = URL.parse(request.url)?.pathname ?? "";
  return new HttpError(404, "not_found", `nothing is at ${path.slice(0, 200)}`);
}

function notHere(methods: Methods): HttpError {
  const allow = allowed(methods).join(", ");
  return new HttpError(405, "method_not_allowed", `this takes ${allow}`, { headers: { allow } });
}

function stoppingNow(): HttpError {
  return new HttpError(503, "stopping", "mcphost serve is stopping", {
    headers: { connection: "close", "retry-after": "1" },
  });
}

function logFailure(error: unknown, request: Request, log: Log): void {
  const path = URL.parse(request.url)?.pathname ?? request.url;
  const text = error instanceof Error ? error.message : String(error);
  log({ level: "warn", text: `${request.method} ${path}: ${text}` });
}
