/** The trace that an HTTP request is part of, as `_meta` hands it on to a server (protocol.md 1.3). Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { readTraceParent, traceBytesMax, traceKeys } from "../protocol/trace.ts";

/** Undefined without a valid `traceparent`: the others mean nothing then. */
export function traceOf({ headers }: Pick<Request, "headers">): JsonObject | undefined {
  const traceparent = headers.get("traceparent");
  if (traceparent === null || readTraceParent(traceparent) === undefined) return undefined;
  const meta: JsonObject = {};
  for (const name of traceKeys) {
    const value = headers.get(name);
    if (value !== null && value.length <= traceBytesMax) meta[name] = value;
  }
  return meta;
}

/** A body of JSON-RPC with the trace of the request that it came in; where `_meta` of a message names one, that holds. */
export function inTrace(body: Json, request: Pick<Request, "headers">): Json {
  const trace = traceOf(request);
  return trace === undefined ? body : allWithTrace(body, trace);
}

// --- internal ---

function allWithTrace(body: Json, trace: JsonObject): Json {
  return Array.isArray(body) ? body.map((one) => withTrace(one, trace)) : withTrace(body, trace);
}

/** Only requests go on to servers. */
function withTrace(message: Json, trace: JsonObject): Json {
  if (!isObject(message) || message.id === undefined || message.method === undefined)
    return message;
  const { params = {} } = message;
  if (!isObject(params)) return message;
  const own = isObject(params._meta) ? params._meta : {};
  if (own.traceparent !== undefined) return message;
  return { ...message, params: { ...params, _meta: { ...trace, ...own } } };
}
