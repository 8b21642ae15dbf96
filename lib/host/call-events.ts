/** What events tell of a call. Pure. */
import type { Outcome } from "../hooks/call.ts";
import type { HostCall } from "./host-call.ts";
import type { HostEvent } from "./types.ts";

/** Whose call it is, and of what. */
export type CallIds = Pick<HostCall, "id" | "owner" | "server" | "tool">;

/** Of one that failed before its tool was found; undefined where it is not even known whose tool it would have been. */
export function unfound({ id, owner, request }: HostCall, { error }: Outcome): CallIds | undefined {
  const server = error?.facts.server;
  if (server === undefined) return undefined;
  return { id, owner, server, tool: error?.facts.tool ?? request.tool };
}

export function startOf({ id, owner, server, tool }: CallIds): HostEvent {
  return { type: "call_start", id, owner, server, tool };
}

export function endOf({ id, owner, server, tool }: CallIds, outcome: Outcome): HostEvent {
  const { status, durationMs } = outcome;
  const event: HostEvent = { type: "call_end", id, owner, server, tool, status, durationMs };
  if (wasGivenUp(outcome)) event.mayRun = true;
  return event;
}

// --- internal ---

/** The server was asked, and did not answer. */
function wasGivenUp(outcome: Outcome): boolean {
  if (!("sent" in outcome) || !outcome.sent) return false;
  const { code } = outcome.error;
  return code === "cancelled" || code === "timeout";
}
