/**
 * The trace that a request is part of: W3C Trace Context and Baggage, as `_meta` of a request and HTTP headers carry them
 * (protocol.md 1.3; https://www.w3.org/TR/trace-context/). Pure; it makes no ids.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Message } from "./jsonrpc.ts";

/** Keys of `_meta`, and names of headers. The first says whether there is a trace at all. */
export const traceKeys = ["traceparent", "tracestate", "baggage"] as const;

/** What is longer is not handed on. */
export const traceBytesMax = 8192;

export interface TraceParent {
  /** 32 hex digits, not all zero. */
  traceId: string;
  /** 16 hex digits, not all zero: the span that all that follows is under. */
  spanId: string;
  /** Two hex digits, as they came. */
  flags: string;
  /** Who began the trace records it. */
  isSampled: boolean;
}

/** Undefined for what is none. A version of later days may say more behind what we know. */
export function readTraceParent(text: unknown): TraceParent | undefined {
  if (typeof text !== "string" || text.length > traceBytesMax) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = shape.exec(text) ?? [];
  const isKnown = version !== undefined && version !== "ff" && !(version === "00" && more);
  if (!isKnown || !notZero.test(traceId) || !notZero.test(spanId)) return undefined;
  return { traceId, spanId, flags, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function traceParentText({
  traceId,
  spanId,
  flags,
}: Pick<TraceParent, "traceId" | "spanId" | "flags">): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** What a request's `_meta` says of its trace as HTTP headers, as far as they can carry it. */
export function traceHeaders(message: Message): Record<string, string> {
  if (!("method" in message)) return {};
  const meta = message.params?._meta;
  if (!isObject(meta) || typeof meta.traceparent !== "string") return {};
  return readTraceParent(meta.traceparent) === undefined ? {} : headersOf(meta);
}

// --- internal ---

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const notZero = /[^0]/;

function headersOf(meta: JsonObject): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const key of traceKeys) {
    const value = meta[key];
    if (typeof value === "string" && value.length <= traceBytesMax && printable.test(value))
      headers[key] = value;
  }
  return headers;
}

const printable = /^[ -~]+$/;
