/** What became of a call, as the value that everybody gets: of one that was answered, and of one that failed. Pure. */
import type { HostError } from "../base/errors.ts";
import type { CallReply } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { ToolResult } from "../protocol/mcp.ts";

/** What became of a call that was answered. @param exact the exact text of its result is wanted at once */
export function outcomeOf(reply: CallReply, durationMs: number, exact = false): Outcome {
  if (!exact) return lazyOutcome(reply, durationMs);
  const { result } = reply;
  return { status: statusOf(reply), result, raw: reply.raw(), durationMs } as Outcome;
}

/** What became of a call whose result was known without its server. */
export function knownOutcome(result: ToolResult, durationMs: number): Outcome {
  const status = result.isError === true ? "failed" : "completed";
  return { status, result, raw: JSON.stringify(result), durationMs };
}

/** What became of a call that failed. */
export function failureOf(
  error: HostError,
  { sent, durationMs }: { sent: boolean; durationMs: number },
): Outcome {
  const common = { error, durationMs };
  if (error.code === "denied") return { status: "denied", ...common };
  if (error.code === "uncertain") return { status: "uncertain", ...common };
  if (error.code === "cancelled") return { status: "cancelled", sent, ...common };
  return { status: "failed", sent, ...common };
}

// --- internal ---

/** Its text is cut out when it is asked for: it can be large, and is seldom wanted. */
function lazyOutcome(reply: CallReply, durationMs: number): Outcome {
  return {
    status: statusOf(reply),
    result: reply.result,
    get raw() {
      return reply.raw();
    },
    durationMs,
  } as Outcome;
}

function statusOf({ result, isInput }: CallReply): Outcome["status"] {
  if (isInput === true) return "input_required";
  return result.isError === true ? "failed" : "completed";
}
