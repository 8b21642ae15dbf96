/**
 * JSON-RPC 2.0 as data: message types, guards, the reading of one parsed value. Pure, tolerant on receive
 * (https://www.jsonrpc.org/specification; protocol.md 1.1).
 */
import type { Json, JsonObject } from "../base/json.ts";

/** Of a peer it may also be a number that a double cannot hold, kept as it was written (`parseJson`): it is only given back. */
export type RequestId = string | number;

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number" || JSON.isRawJSON(value);
}

/** With the type: 1 and "1" are two. */
export function isSameId(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const areKept = JSON.isRawJSON(one) && JSON.isRawJSON(other);
  return areKept && JSON.stringify(one) === JSON.stringify(other);
}

export interface Request {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

export interface Notification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

export interface ErrorObject {
  code: number;
  message: string;
  data?: Json | undefined;
}

/**
 * One of `result` and `error` is there; a faulty peer's answer may have neither, which fails its request.
 * `id` is null where the peer could not read ours.
 */
export interface Response {
  jsonrpc: "2.0";
  id: RequestId | null;
  result?: Json;
  error?: ErrorObject;
}

export type Message = Request | Notification | Response;

/** Numbers of the specification that we send ourselves (https://www.jsonrpc.org/specification#error_object). */
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

export function isRequest(message: Message): message is Request {
  return "method" in message && "id" in message;
}

export function isNotification(message: Message): message is Notification {
  return "method" in message && !("id" in message);
}

export function isResponse(message: Message): message is Response {
  return !("method" in message);
}

const brand = Symbol.for("mcphost.rpc-error");

/**
 * A JSON-RPC error that a peer answered with. `data` is as it came. `instanceof` holds for one of another copy of this
 * module, too: what is shipped has several.
 */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(error: ErrorObject) {
    super(error.message);
    this.name = "RpcError";
    this.code = error.code;
    this.data = error.data;
    Object.defineProperty(this, brand, { value: true });
  }

  static override [Symbol.hasInstance](value: unknown): value is RpcError {
    return typeof value === "object" && value !== null && brand in value;
  }
}
