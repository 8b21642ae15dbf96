/** What is known of one call of this process, for its owner. Pure. */
import { clip } from "../base/clip.ts";
import type { JsonObject } from "../base/json.ts";
import type { Actor, Outcome } from "../hooks/call.ts";
import type { OwnedCallRequest } from "../host/opened-types.ts";
import { weigh } from "./weigh.ts";

/** What is known of a call: all that is kept of one that ended, and so it holds nothing else of it. */
export interface CallRecord {
  readonly id: string;
  readonly owner: string;
  readonly actor: Actor;
  /** The name that was called. */
  readonly name: string;
  /** Undefined as long as nobody knows what the name means. */
  server: string | undefined;
  /** The server's own name of the tool. */
  tool: string | undefined;
  /** `waiting`: for somebody to approve it. */
  status: "running" | "waiting" | Outcome["status"];
  /** On the clock of the context, in milliseconds since the epoch. */
  readonly startedAt: number;
  durationMs: number | undefined;
  /** Undefined where they were too large to keep. */
  readonly arguments: JsonObject | undefined;
  error: { code: string; message: string } | undefined;
  /** The exact text of its result, where that was to be kept, and is not too large. */
  result: string | undefined;
  /** What it weighs, about. */
  bytes: number;
}

/** Of a call that begins. */
export function opened(id: string, request: OwnedCallRequest, startedAt: number): CallRecord {
  const { owner = "default", actor = "user", tool: name, arguments: args = {} } = request;
  const argumentBytes = weigh(args, argumentBytesMax);
  const isKept = argumentBytes <= argumentBytesMax;
  return {
    id,
    owner,
    actor,
    name,
    server: undefined,
    tool: undefined,
    status: "running",
    startedAt,
    durationMs: undefined,
    arguments: isKept ? args : undefined,
    error: undefined,
    result: undefined,
    bytes: recordBytes + 2 * name.length + (isKept ? argumentBytes : 0),
  };
}

/** Notes how a call ended. */
export function closed(record: CallRecord, outcome: Outcome, keepsResult: boolean): void {
  record.status = outcome.status;
  record.durationMs = outcome.durationMs;
  if (keepsResult && "raw" in outcome && outcome.raw.length <= resultMax) {
    record.result = outcome.raw;
    record.bytes += outcome.raw.length;
  }
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
/** Results that are longer are not kept. */
const resultMax = 262_144;
/** Arguments that weigh more are not kept. */
const argumentBytesMax = 16_384;
/** What a record weighs beside its texts and arguments. */
const recordBytes = 300;
