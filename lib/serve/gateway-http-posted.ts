/** What is posted to the gateway over HTTP: it is read here, its era found, and what may not be is refused (protocol.md 2.1, 2.2). */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import { isRequestId, isResponse, RpcError } from "../protocol/jsonrpc.ts";
import type { Message, RequestId } from "../protocol/jsonrpc.ts";
import { readMessage } from "../protocol/read.ts";
import { eraOfMessage } from "./gateway-era.ts";
import { badMessage } from "./gateway-errors.ts";
import type { LegacyHttp } from "./gateway-http-legacy.ts";
import type { ModernHttp } from "./gateway-http-modern.ts";
import { refuse } from "./gateway-refuse.ts";
import type { Scope } from "./gateway-types.ts";
import { isHttpError } from "./http-error.ts";
import type { HttpError } from "./http-error.ts";
import { readJson } from "./read-json.ts";
import { inTrace } from "./trace.ts";
import type { BodyReader, Exchange } from "./types.ts";

/** What is posted: a message, or several. */
export class Posted implements BodyReader {
  readonly #exchange: Exchange;
  readonly #scope: Scope;
  readonly #eras: Eras;

  /** @param scope what may be seen at its address */
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

// --- internal ---

interface Eras {
  legacy: LegacyHttp;
  modern: ModernHttp;
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

const parseError = -32700;
/** Without a meaning of its own: what is wrong is the HTTP around the message. */
const badTransport = -32000;
