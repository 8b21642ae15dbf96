/** The body of `POST /tools`, read with care. Pure. */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { HttpError } from "./http-error.ts";

export interface AskedCall {
  tool: string;
  /** Untouched: whatever an argument is called, it is the tool's own. */
  params: JsonObject;
  stream: boolean;
}

/** @throws HttpError 400 */
export function readAskedCall(body: Json): AskedCall {
  if (!isObject(body)) throw badBody("the body must be an object {tool, params?, stream?}");
  const { tool, params, stream = false } = body;
  if (typeof tool !== "string")
    throw badBody(tool === undefined ? '"tool" is missing' : '"tool" must be a string');
  if (typeof stream !== "boolean") throw badBody('"stream" must be true or false');
  return { tool, params: readArguments(params, '"params"'), stream };
}

/** Absent and null are no arguments. @throws HttpError 400 */
export function readArguments(value: Json | undefined, what: string): JsonObject {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw badBody(`${what} must be an object: the tool's arguments`);
  return value;
}

// --- internal ---

function badBody(message: string): HttpError {
  return new HttpError(400, "bad_request", message);
}
