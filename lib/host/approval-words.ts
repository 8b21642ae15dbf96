/** Calls that were asked about, in words: that they wait, why they are refused, what came of them. Pure. */
import { HostError, isHostError } from "../base/errors.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import { describeRule } from "../hooks/rules.ts";
import type { Decision } from "../hooks/rules.ts";
import type { Settled } from "../store/approvals.ts";
import type { Approval } from "../store/types.ts";

/** @param approval as it ended; undefined: it is gone. @returns HostError `denied` */
export function refusedBy(
  { server, tool, id }: Call,
  approval: Approval | undefined,
  timeoutMs: number,
): HostError {
  const what = `${tool} of server "${server}"`;
  const facts = { server, tool, call: id };
  if (approval?.state === "rejected") {
    const { reason = "", decidedBy: by } = approval;
    const why = reason.trim() === "" ? "" : `: ${reason}`;
    return new HostError("denied", `${what} was rejected${why}`, {
      facts: { ...facts, reason, by },
    });
  }
  if (approval?.state === "expired")
    return new HostError(
      "denied",
      `nobody answered within ${timeoutMs} ms whether ${what} may be called`,
      {
        facts: { ...facts, timeoutMs, option: "approvalTimeoutMs" },
      },
    );
  const { state = "gone from the store", reason } = approval ?? {};
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostError("denied", `${what} may not be called: its approval is ${state}${why}`, {
    facts: { ...facts, ...(reason !== undefined && { reason }) },
  });
}

/** Why whoever is here is not asked any more. @returns HostError `cancelled` */
export function decidedElsewhere(
  call: Call,
  approval: Approval | undefined,
  timeoutMs: number,
): HostError {
  const { state, decidedBy: by } = approval ?? {};
  const isSaid = state === "approved" || state === "rejected";
  const text = isSaid
    ? `${call.tool} of server "${call.server}" was ${state} elsewhere (by ${by})`
    : refusedBy(call, approval, timeoutMs).message;
  return new HostError("cancelled", text, { facts: { call: call.id } });
}

/** @returns HostError `denied` */
export function toolChanged({ server, tool, id }: Call, changes: readonly string[]): HostError {
  const what = changes.length === 0 ? "" : `: ${changes.join("; ")}`;
  return new HostError(
    "denied",
    `${tool} of server "${server}" was changed while it waited for approval${what}`,
    {
      facts: { server, tool, call: id, changes },
      hint: "call it again, to be asked about it as it is",
    },
  );
}

/** The store cannot say whether it is allowed: it is not. @returns HostError `denied` */
export function storeRefusal({ server, tool, id }: Call, cause: unknown): HostError {
  const why = isHostError(cause) ? cause.message : String(cause);
  return new HostError(
    "denied",
    `${tool} of server "${server}" needs approval, and cannot get it: ${why}`,
    {
      facts: { server, tool, call: id, ...(isHostError(cause) && cause.facts) },
      ...(isHostError(cause) && cause.hint !== undefined && { hint: cause.hint }),
      cause,
    },
  );
}

/** How others answer. */
export function waitingText({ id, tool }: Pick<Call, "id" | "tool">): string {
  const short = id.slice(0, 8);
  return `${tool} waits for approval: mcphost approvals show ${short}, approve ${short} or reject ${short}`;
}

/** The same where one short line is shown. */
export function approveText({ id }: Pick<Call, "id">): string {
  return `waits for approval: mcphost approvals approve ${id.slice(0, 8)}`;
}

/** What came of a call that was approved. */
export function settledOf(outcome: Outcome): Settled {
  const { status, error, durationMs } = outcome;
  const took = `after ${Math.round(durationMs)} ms`;
  if (status === "uncertain") return { state: "uncertain", reason: error.message };
  if (error !== undefined) return { state: "failed", reason: error.message };
  const state = status === "failed" ? "failed" : "completed";
  const bytes = "raw" in outcome ? `, ${Buffer.byteLength(outcome.raw)} bytes` : "";
  return { state, result: `${status} ${took}${bytes}` };
}

/** What would have answered stands in the hint. @returns HostError `denied` */
export function nobodyThere(
  { server, tool }: Call,
  { rule }: Decision,
  reasons: readonly string[],
): HostError {
  const text = `${tool} of server "${server}" needs approval and nobody can be asked here (${reasons.join("; ")})`;
  const by = rule && describeRule(rule);
  return new HostError("denied", text, {
    facts: { server, tool, ...(by !== undefined && { rule: by }), reasons, option: "policy" },
    hint:
      by === undefined
        ? "allow it beforehand"
        : "allow it beforehand: change the rule, or add one that allows it",
  });
}

/** @returns HostError `denied` */
export function rejected({ server, tool }: Call, reason: string): HostError {
  const why = reason.trim() === "" ? "" : `: ${reason}`;
  const text = `${tool} of server "${server}" was rejected${why}`;
  return new HostError("denied", text, { facts: { server, tool, reason } });
}
