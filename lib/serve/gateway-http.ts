/**
 * The gateway over Streamable HTTP, both eras at one address: `/mcp` shows all servers, `/mcp/SERVER` one under its own
 * names. Its other transports are beside it.
 */
import { eraOf } from "../protocol/codecs.ts";
import { youngMs } from "./exchange.ts";
import { versionIn } from "./gateway-era.ts";
import { LegacyHttp } from "./gateway-http-legacy.ts";
import { ModernHttp } from "./gateway-http-modern.ts";
import { Posted } from "./gateway-http-posted.ts";
import { socketRoutes } from "./gateway-socket.ts";
import { sseRoutes } from "./gateway-sse.ts";
import type { GatewayOptions, Scope } from "./gateway-types.ts";
import { Waiting } from "./gateway-waiting.ts";
import { createGateway } from "./gateway.ts";
import { HttpError } from "./http-error.ts";
import type { Profiles } from "./profiles.ts";
import { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions.ts";
import type { Exchange, Route, ServeContext } from "./types.ts";

export interface GatewayFaceOptions
  extends
    Partial<Omit<GatewayOptions, "host" | "log" | "stopping" | "guests">>,
    Omit<SessionsOptions, "now"> {
  /** Answers that take longer become streams. @default 5000 */
  streamAfterMs?: number;
}

/** The routes of the gateway: a face of `serve`. */
export function gatewayRoutes(context: ServeContext, options: GatewayFaceOptions = {}): Route[] {
  const gateway = createGateway({ ...options, ...context });
  const sessions = new Sessions({ ...options, now: context.steady });
  const { streamAfterMs = 5000 } = options;
  const waiting = new Waiting(context.stopping, Math.max(0, streamAfterMs - youngMs));
  const world = { gateway, context, waiting };
  const legacy = new LegacyHttp(sessions, world);
  const eras = { legacy, modern: new ModernHttp(world) };
  const { host } = context;
  const servers = new Set<string>();
  const isServer = (name: string) => {
    if (!servers.has(name)) for (const one of host.servers()) servers.add(one.name);
    return servers.has(name);
  };
  // A server that is gone has told so by its lists.
  const watching = host.onEvent(() => servers.clear(), ["tools_changed"]);
  context.stopping.addEventListener("abort", () => watching[Symbol.dispose](), { once: true });
  const at = (exchange: Exchange) => {
    const self = host.ownLink(exchange.request);
    if (self !== undefined) throw loopOf(self);
    return scopeOf(exchange, isServer, context.profiles);
  };

  const post = (exchange: Exchange) => {
    exchange.read(new Posted(exchange, at(exchange), eras));
    return exchange.later();
  };
  const stream = (exchange: Exchange) => {
    refuseModern(exchange);
    return legacy.stream(exchange, at(exchange));
  };
  const end = (exchange: Exchange) => {
    refuseModern(exchange);
    return legacy.end(exchange, at(exchange));
  };
  const streamable = ["/mcp", "/mcp/:server"].flatMap((path): Route[] => [
    { method: "POST", path, handle: post },
    { method: "GET", path, handle: stream },
    { method: "DELETE", path, handle: end },
  ]);
  return [...streamable, ...sseRoutes(world, at), ...socketRoutes(world, at)];
}

// --- internal ---

/** @throws HttpError 404 */
function scopeOf(
  exchange: Exchange,
  isServer: (name: string) => boolean,
  profiles: Profiles,
): Scope {
  const { server } = exchange.params;
  if (server !== undefined && !isServer(server))
    throw new HttpError(
      404,
      "not_found",
      `no server is called ${JSON.stringify(server.slice(0, 100))}`,
    );
  return { owner: exchange.caller.owner, server, allows: profiles.narrowed(exchange) };
}

/** Every list of ours would wait for itself. */
function loopOf(server: string): HttpError {
  return new HttpError(508, "loop", `server "${server}" leads back to this gateway itself`);
}

/** Modern clients only POST. @throws HttpError 405 */
function refuseModern({ request }: Exchange): void {
  const version = versionIn(request.headers);
  if (version === undefined || eraOf(version) !== "modern") return;
  throw new HttpError(405, "method_not_allowed", "this revision of the protocol only posts", {
    headers: { allow: "POST" },
  });
}
