/** The trace that an HTTP request is part of, as `_meta` hands it on to a server (protocol.md 1.3). Pure. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "../protocol/jsonrpc.ts";
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

/** A message with the trace of the request that it came in; where its own `_meta` names one, that holds. */
export function inTrace<M extends Message>(message: M, request: Pick<Request, "headers">): M {
  if (!("id" in message) || !("method" in message)) return message;
  const trace = traceOf(request);
  if (trace === undefined) return message;
  const { params = {} } = message;
  const own = isObject(params._meta) ? params._meta : {};
  if (own.traceparent !== undefined) return message;
  return { ...message, params: { ...params, _meta: { ...trace, ...own } } };
}
