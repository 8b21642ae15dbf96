/** What became of a call, as the value that everybody gets: of one that was answered, and of one that failed. Pure. */
import type { HostError } from "../base/errors.ts";
import type { CallReply } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { ToolResult } from "../protocol/mcp.ts";

/** What became of a call that was answered. */
export function outcomeOf(reply: CallReply, durationMs: number): Outcome {
  const { result } = reply;
  if (reply.isInput) {
    return {
      status: "input_required",
      result,
      get raw() {
        return reply.raw();
      },
      durationMs,
    };
  }
  return {
    status: result.isError === true ? "failed" : "completed",
    result,
    // Cut out when asked for: it can be large, and is seldom wanted.
    get raw() {
      return reply.raw();
    },
    durationMs,
  };
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
