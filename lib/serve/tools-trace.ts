/** The trace that a request is part of (W3C Trace Context, Baggage), as `_meta` hands it on (protocol.md 1.3). Pure. */
import type { JsonObject } from "../base/json.ts";

const bytesMax = 8192;

/** Undefined without a valid `traceparent`: the others mean nothing then. */
export function traceOf({ headers }: Pick<Request, "headers">): JsonObject | undefined {
  const traceparent = headers.get("traceparent");
  if (traceparent === null || !isTrace(traceparent)) return undefined;
  const meta: JsonObject = { traceparent };
  for (const name of ["tracestate", "baggage"]) {
    const value = headers.get(name);
    if (value !== null && value.length <= bytesMax) meta[name] = value;
  }
  return meta;
}

// --- internal ---

/** Version, trace id, parent id, flags; ids of zeros and the version ff are none. */
function isTrace(text: string): boolean {
  const parts = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(text);
  return parts !== null && /[^0]/.test(parts[1] ?? "") && /[^0]/.test(parts[2] ?? "");
}
