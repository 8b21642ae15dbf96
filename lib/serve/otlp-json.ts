/**
 * Spans as OTLP writes them in JSON: ids in hex, times as decimal strings of nanoseconds, enums as numbers
 * (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding). Pure.
 */

/** One span that has ended. */
export interface Span {
  /** 32 and 16 hex digits. */
  traceId: string;
  spanId: string;
  /** The span that it is under, which is another's. */
  parentSpanId: string | undefined;
  traceState: string | undefined;
  /** Two hex digits: those of the trace. */
  flags: string;
  name: string;
  /** Milliseconds since the epoch, with a fraction. */
  startMs: number;
  endMs: number;
  attributes: Record<string, string>;
  /** What failed: absent where nothing did, empty where that is nobody's business. */
  error: string | undefined;
}

/** The body of one export. */
export function exportText(
  spans: readonly Span[],
  { serviceName, version }: { serviceName: string; version: string },
): string {
  return JSON.stringify({
    resourceSpans: [
      {
        resource: {
          attributes: attributesOf({ "service.name": serviceName, "service.version": version }),
        },
        scopeSpans: [{ scope: { name: "mcphost", version }, spans: spans.map(spanOf) }],
      },
    ],
  });
}

// --- internal ---

/** `SPAN_KIND_CLIENT`: to its server we are one. */
const clientKind = 3;
const statusError = 2;
/** Bits of `flags` beside those of the trace: whether the parent is remote is known, and it is. */
const isRemoteKnown = 0x100;
const isRemote = 0x200;

function spanOf(span: Span): object {
  const { parentSpanId, traceState, error } = span;
  const remote = parentSpanId === undefined ? isRemoteKnown : isRemoteKnown | isRemote;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    flags: Number.parseInt(span.flags, 16) | remote,
    name: span.name,
    kind: clientKind,
    startTimeUnixNano: nanos(span.startMs),
    endTimeUnixNano: nanos(span.endMs),
    attributes: attributesOf(span.attributes),
    status:
      error === undefined ? {} : { code: statusError, ...(error !== "" && { message: error }) },
  };
}

function attributesOf(attributes: Record<string, string>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } }));
}

/** More digits than a number has. */
function nanos(ms: number): string {
  return `${Math.round(ms * 1000)}000`;
}
