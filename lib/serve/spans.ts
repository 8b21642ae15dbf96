/**
 * A host whose calls become spans: each goes on to its server under a span of its own, and what became of it is recorded.
 * It changes no call, and a trace that its beginner does not record is left as it came.
 */
import { clip } from "../base/clip.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { OpenedHost, OwnedCallRequest } from "../host/opened-types.ts";
import { readTraceParent, traceParentText } from "../protocol/trace.ts";
import type { TraceParent } from "../protocol/trace.ts";
import type { Span } from "./otlp-json.ts";

export interface TracedOptions {
  /** Is given each span that has ended; takes no time. */
  record: (span: Span) => void;
  /** Hides secrets in the words of an error. */
  redact: (text: string) => string;
}

/** The same host, and the guests that it opens. */
export function traced<H extends OpenedHost>(host: H, options: TracedOptions): H {
  return {
    ...host,
    call: (request) => tracedCall(request, host, options),
    ask: (request) => void tracedCall(request, host, options),
    guest: async (...given) => traced(await host.guest(...given), options),
  };
}

// --- internal ---

async function tracedCall(
  request: OwnedCallRequest,
  host: Pick<OpenedHost, "call">,
  { record, redact }: TracedOptions,
): Promise<Outcome> {
  const { meta: { traceparent, tracestate, ...meta } = {}, listener } = request;
  const parent = readTraceParent(traceparent);
  if (parent?.isSampled === false) return await host.call(request);
  const own = spanUnder(parent);
  const traceState =
    parent !== undefined && typeof tracestate === "string" ? tracestate : undefined;
  const startMs = performance.timeOrigin + performance.now();
  let known: Call | undefined;
  const outcome = await host.call({
    ...request,
    meta: {
      ...meta,
      traceparent: traceParentText(own),
      ...(traceState !== undefined && { tracestate: traceState }),
    },
    listener: {
      onCall(call) {
        known = call;
        listener?.onCall?.(call);
      },
      onWaiting: (call) => listener?.onWaiting?.(call),
      onSent: () => listener?.onSent?.(),
      onEnd: (ended) => listener?.onEnd?.(ended),
    },
  });
  const tool = clip(known?.tool ?? outcome.error?.facts.tool ?? request.tool, nameMax);
  const error = errorOf(outcome);
  record({
    ...own,
    parentSpanId: parent?.spanId,
    traceState,
    name: `tools/call ${tool}`,
    startMs,
    endMs: performance.timeOrigin + performance.now(),
    attributes: {
      ...attributesOf(outcome, known),
      "gen_ai.tool.name": tool,
      ...(error !== undefined && { "error.type": error.type }),
    },
    error: error && redact(clip(error.message, messageMax)),
  });
  return outcome;
}

const nameMax = 200;
const messageMax = 1000;

function spanUnder(
  parent: TraceParent | undefined,
): Pick<TraceParent, "traceId" | "spanId" | "flags"> {
  const traceId = parent?.traceId ?? randomHex(16);
  return { traceId, spanId: randomHex(8), flags: parent?.flags ?? "01" };
}

/** Never all zero, but for a chance that is none. */
function randomHex(bytes: number): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toHex();
}

/** By the conventions for spans of MCP clients (opentelemetry.io, semantic conventions of generative AI), and our own words. */
function attributesOf({ status, error }: Outcome, call: Call | undefined): Record<string, string> {
  const server = call?.server ?? error?.facts.server;
  const rpcCode = error?.facts.rpcCode;
  return {
    "mcp.method.name": "tools/call",
    "gen_ai.operation.name": "execute_tool",
    "mcphost.outcome": status,
    ...(server !== undefined && { "mcphost.server": server }),
    ...(call !== undefined && { "mcphost.call.id": call.id }),
    ...(rpcCode !== undefined && { "rpc.response.status_code": String(rpcCode) }),
  };
}

/** A result that is an error keeps its words to itself: they are the tool's content. */
function errorOf({ error, result }: Outcome): { type: string; message: string } | undefined {
  if (error === undefined)
    return result?.isError === true ? { type: "tool_error", message: "" } : undefined;
  const { rpcCode } = error.facts;
  return { type: rpcCode === undefined ? error.code : String(rpcCode), message: error.message };
}
