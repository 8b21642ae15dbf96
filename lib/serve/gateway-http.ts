/**
 * The gateway over Streamable HTTP, both eras at one address: `/mcp` shows all servers, `/mcp/SERVER` one under its own
 * names. Its other transports are beside it. What a POST holds is read here, its era found, and what may not be is refused (protocol.md 2.1, 2.2).
 */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import { eraOf } from "../protocol/codecs.ts";
import { isRequestId, isResponse, RpcError } from "../protocol/jsonrpc.ts";
import type { Message, RequestId } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import { youngMs } from "./exchange.ts";
import { eraOfMessage } from "./gateway-era.ts";
import { badMessage } from "./gateway-errors.ts";
import { LegacyHttp } from "./gateway-http-legacy.ts";
import { ModernHttp } from "./gateway-http-modern.ts";
import { refuse } from "./gateway-refuse.ts";
import { socketRoutes } from "./gateway-socket.ts";
import { sseRoutes } from "./gateway-sse.ts";
import type { GatewayOptions, Scope } from "./gateway-types.ts";
import { Waiting } from "./gateway-waiting.ts";
import { createGateway } from "./gateway.ts";
import { HttpError, isHttpError } from "./http-error.ts";
import type { Profiles } from "./profiles.ts";
import { readJson } from "./read-json.ts";
import { Sessions } from "./sessions.ts";
import type { SessionsOptions } from "./sessions.ts";
import { inTrace } from "./trace.ts";
import type { BodyReader, Exchange, Route, ServeContext } from "./types.ts";

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
  const sessions = new Sessions({ ...options, now: context.now });
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

/** What is posted: a message, or several. */
class Posted implements BodyReader {
  readonly #exchange: Exchange;
  readonly #scope: Scope;
  readonly #eras: Eras;

  constructor(exchange: Exchange, scope: Scope, eras: Eras) {
    this.#exchange = exchange;
    this.#scope = scope;
    this.#eras = eras;
  }

  took(text: string): void {
    const exchange = this.#exchange;
    try {
      const response = this.#take(text);
      if (response !== undefined) exchange.respond(response);
    } catch (error) {
      exchange.fail(error);
    }
  }

  broke(error: unknown): void {
    if (isHttpError(error)) this.#exchange.respond(refusedBody(error));
    else this.#exchange.fail(error);
  }

  // --- internal ---

  /** Undefined: the answer comes by itself. @throws HttpError */
  #take(text: string): Response | Promise<Response> | undefined {
    const exchange = this.#exchange;
    const scope = this.#scope;
    const { legacy, modern } = this.#eras;
    let value: Json;
    try {
      value = inTrace(readJson(text), exchange.request);
    } catch {
      return refuse(400, new RpcError({ code: parseError, message: "Parse error" }));
    }
    if (Array.isArray(value)) return legacy.batch(value, exchange, scope);
    const message = messageIn(value);
    if (message === undefined)
      return refuse(400, badMessage("this is no JSON-RPC message"), idIn(value));
    const { headers } = exchange.request;
    if (isResponse(message)) {
      if (headers.has("mcp-session-id")) return legacy.take(message, exchange, scope);
      return refuse(400, badMessage("nobody waits for an answer"));
    }
    const verdict = eraOfMessage(message, scope, headers);
    if (verdict.era === "refused") return refuse(verdict.status, verdict.error, idIn(value));
    if (verdict.era === "legacy") return legacy.post(message, exchange, scope);
    if (!("id" in message)) return new Response(null, { status: 202 });
    return modern.post(message, exchange, verdict);
  }
}

interface Eras {
  legacy: LegacyHttp;
  modern: ModernHttp;
}

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

/** Why a body is not taken, as a JSON-RPC error. */
function refusedBody({ message, status, options }: HttpError): Response {
  const code = status === 400 ? parseError : badTransport;
  return refuse(status, new RpcError({ code, message }), null, options.headers);
}

function messageIn(value: Json): Message | undefined {
  // A request whose id is null would look like a notification.
  if (isObject(value) && value.id === null && value.method !== undefined) return undefined;
  return readMessage(value).message;
}

function idIn(value: Json): RequestId | null {
  const id = isObject(value) ? value.id : undefined;
  return isRequestId(id) ? id : null;
}

/** Modern clients only POST. @throws HttpError 405 */
function refuseModern({ request }: Exchange): void {
  const version = request.headers.get("mcp-protocol-version");
  if (version === null || eraOf(version) !== "modern") return;
  throw new HttpError(405, "method_not_allowed", "this revision of the protocol only posts", {
    headers: { allow: "POST" },
  });
}

const parseError = -32700;
/** Without a meaning of its own: what is wrong is the HTTP around the message. */
const badTransport = -32000;
