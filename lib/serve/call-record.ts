/** What is known of one call of this process, for its owner. Pure. */
import { clip } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { Actor, Outcome } from "../hooks/call.ts";

/** What is known of a call. */
export interface CallRecord {
  readonly id: string;
  readonly owner: string;
  readonly actor: Actor;
  /** The name that was called. */
  readonly name: string;
  /** Absent as long as nobody knows what the name means. */
  server?: string;
  /** The server's own name of the tool. */
  tool?: string;
  /** `waiting`: for somebody to approve it. */
  status: "running" | "waiting" | Outcome["status"];
  /** On the clock of the context, in milliseconds since the epoch. */
  readonly startedAt: number;
  durationMs?: number;
  /** Undefined where they were too large to keep. */
  readonly arguments: JsonObject | undefined;
  error?: { code: string; message: string };
  /** The exact text of its result, where that was to be kept, and is not too large. */
  result?: string;
}

/** Notes how a call ended. */
export function closed(record: CallRecord, outcome: Outcome): void {
  record.status = outcome.status;
  record.durationMs = outcome.durationMs;
  const { error } = outcome;
  if (error === undefined) return;
  record.error = { code: error.code, message: clip(error.message, messageMax) };
  if (outcome.status !== "denied") return;
  const { server, tool } = error.facts;
  if (server !== undefined) record.server = server;
  if (tool !== undefined) record.tool = tool;
}

// --- internal ---

/** UTF-16 units. */
const messageMax = 2000;
