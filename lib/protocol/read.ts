/**
 * Reads one parsed JSON value as a JSON-RPC message: tolerant of everything whose meaning is clear by its shape, and
 * exact about what it is otherwise. Pure: it logs nothing, but says what was odd so that the caller can
 * (https://www.jsonrpc.org/specification; protocol.md 1.1).
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isRequestId } from "./jsonrpc.ts";
import type { ErrorObject, Message, RequestId, Response } from "./jsonrpc.ts";

/** A message, with what was unusual about it (for a debug entry), or the reason why the value is none. */
export type Reading =
  | { message: Message; odd?: string; noise?: undefined }
  | { message?: undefined; odd?: undefined; noise: string };

/** True for what almost all are that come in: an answer in order, with a result. */
export function isPlainAnswer(value: unknown): value is Response {
  if (!isObject(value) || value.jsonrpc !== "2.0") return false;
  const { id, result, error, method } = value;
  if (result === undefined || error !== undefined || method !== undefined) return false;
  return typeof id === "number" || typeof id === "string";
}

/**
 * Reads one value. The message is the value itself where that is in order, else a mended copy.
 * - A wrong or missing `jsonrpc` is accepted where the shape leaves no doubt.
 * - `error` wins over `result`, both win over `method`; `error: null` beside a `result` is no error.
 * - A response with neither is passed on as it is: whoever waits for it can then be told.
 */
export function readMessage(value: unknown): Reading {
  if (isPlainAnswer(value)) return { message: value };
  if (!isObject(value)) return { noise: "not a JSON object" };
  const { jsonrpc, id, method } = value;
  const hasId = isRequestId(id);
  if (!hasId && id !== undefined && id !== null)
    return { noise: "its id is neither a string nor a number" };
  const answers = isPresent(value.error) || value.result !== undefined;
  const odd = jsonrpc === "2.0" ? [] : [jsonrpcFault(jsonrpc)];
  if (typeof method === "string" && !(answers && hasId)) {
    if (jsonrpc === undefined && hasForeignMembers(value)) return { noise: "no jsonrpc member" };
    return readCall(value, method, odd);
  }
  if (!answers) {
    // An id that nobody answered for is still a (faulty) response; without jsonrpc it may be any JSON at all.
    const claimed = id !== undefined && (jsonrpc !== undefined || value.error === null);
    if (method !== undefined || !claimed) return { noise: "neither method, result nor error" };
  } else if (!hasId && jsonrpc === undefined && !isErrorObject(value.error)) {
    // A JSON log line may well have a member called "error".
    return { noise: "neither jsonrpc nor id" };
  }
  return readResponse(value, hasId ? id : null, odd);
}

/**
 * Reads what one line held: a message, or a batch (2025-03-26) of them. An empty batch and batches within batches are
 * noise.
 */
export function readMessages(value: unknown): Reading[] {
  if (!Array.isArray(value)) return [readMessage(value)];
  if (value.length === 0) return [{ noise: "an empty batch" }];
  return value.map((element) => readMessage(element));
}

// --- internal ---

function readCall(value: JsonObject, method: string, odd: string[]): Reading {
  const { id, params } = value;
  if (id === null) odd.push("a null id");
  if (value.result !== undefined || isPresent(value.error)) odd.push("an answer without an id");
  if (params !== undefined && !isObject(params)) odd.push("params that are no object");
  if (odd.length === 0) return { message: value as unknown as Message };
  const message: Message = {
    jsonrpc: "2.0",
    ...(isPresent(id) && { id: id as RequestId }),
    method,
    ...(isObject(params) && { params }),
  };
  return { message, odd: odd.join(", ") };
}

function readResponse(value: JsonObject, id: RequestId | null, odd: string[]): Reading {
  const { result } = value;
  const error = isPresent(value.error) ? readError(value.error) : undefined;
  if (value.method !== undefined) odd.push("a method beside the answer");
  if (value.id === undefined) odd.push("no id");
  if (value.error === null) odd.push("a null error");
  if (error !== undefined && result !== undefined) odd.push("both a result and an error");
  if (error !== undefined && !isErrorObject(value.error)) odd.push("a malformed error");
  if (odd.length === 0) return { message: value as unknown as Response };
  const message: Response = {
    jsonrpc: "2.0",
    id,
    ...(error === undefined ? result !== undefined && { result } : { error }),
  };
  return { message, odd: odd.join(", ") };
}

/** A wire error as it should be: itself where it is in order; what is missing is named as missing in the message. */
function readError(error: Json): ErrorObject {
  if (isErrorObject(error)) return error as unknown as ErrorObject;
  if (!isObject(error)) {
    const message = `${show(error)} (an error without a code)`;
    return { code: 0, message, ...(Array.isArray(error) && { data: error }) };
  }
  const { code, message, data } = error;
  const known = typeof code === "string" && code !== "" ? Number(code) : code;
  const hasCode = Number.isFinite(known);
  const text = isPresent(message) ? show(message) : "(an error without a message)";
  // Where the message is missing, or a code cannot be kept, whatever else there is may be the explanation.
  const isWhole = typeof message === "string" && (hasCode || !isPresent(code));
  const rest = data ?? (isWhole ? undefined : error);
  return {
    code: hasCode ? (known as number) : 0,
    message: hasCode ? text : `${text} (an error without a code)`,
    ...(rest !== undefined && { data: rest }),
  };
}

function isPresent(value: Json | undefined): value is Exclude<Json, null> {
  return value !== undefined && value !== null;
}

function isErrorObject(error: unknown): boolean {
  return isObject(error) && typeof error.code === "number" && typeof error.message === "string";
}

function hasForeignMembers(value: JsonObject): boolean {
  return Object.keys(value).some((key) => !members.has(key));
}

const members: ReadonlySet<string> = new Set(["id", "method", "params", "result", "error"]);

function jsonrpcFault(version: Json | undefined): string {
  return version === undefined ? "no jsonrpc member" : `jsonrpc ${show(version)}`;
}

/** For a message to a person. Objects are only named: they may be of any size and depth. */
function show(value: Json): string {
  if (typeof value === "object" && value !== null)
    return Array.isArray(value) ? "an array" : "an object";
  return String(value);
}
