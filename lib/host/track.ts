/** What is written down of one call: its events, and that it was sent. It keeps nothing once its end is written. */
import { isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Call, CallTrack, Outcome } from "../hooks/call.ts";
import { redacted } from "../hooks/redact.ts";
import type { JournalStep } from "../store/steps.ts";
import type { AuditEvent } from "../store/types.ts";

export interface TrackOptions {
  log: Log;
  /** Takes known secrets out of a text. */
  hide: (text: string) => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** There is an audit log; without it only what is asked about is written, and only its journal. @default true */
  isAudited?: boolean;
}

export class Track implements CallTrack {
  readonly #call: Call;
  readonly #options: TrackOptions;
  readonly #write: (step: JournalStep, mustHold: boolean) => Promise<void>;
  readonly #proposed: JsonObject;
  /** Not yet written. */
  #events: AuditEvent[] = [];
  #isDecided = false;
  #isSent = false;
  /** What the approver of the call has to say of its end, in place of the journal. */
  #onEnd: ((outcome: Outcome) => Promise<void>) | undefined;

  constructor(
    call: Call,
    options: TrackOptions,
    write: (step: JournalStep, mustHold: boolean) => Promise<void>,
  ) {
    this.#call = call;
    this.#options = options;
    this.#write = write;
    this.#proposed = call.arguments;
    if (options.isAudited !== false)
      this.#add("proposed", undefined, { arguments: redacted(call.arguments, options.hide) });
  }

  decided(outcome: "allowed" | "approved", by?: string): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    const { arguments: args } = this.#call;
    const detail: JsonObject = {};
    if (by !== undefined) detail["by"] = by;
    if (args !== this.#proposed) detail["arguments"] = redacted(args, this.#options.hide);
    this.#add("decided", outcome, detail);
  }

  waits(question: string): Promise<void> {
    this.#add("decided", "asked", { question: this.#options.hide(question) });
    return this.#note();
  }

  claimed(onEnd: (outcome: Outcome) => Promise<void>): void {
    this.#onEnd = onEnd;
  }

  sending(): Promise<void> {
    // Sent once more, where its server said that it was not done.
    if (!this.#isSent) this.#add("sent", undefined, undefined);
    this.#isSent = true;
    return this.#flush({ sent: this.#call }, this.#onEnd !== undefined);
  }

  ended(outcome: Outcome): Promise<void> {
    if (this.#options.isAudited !== false)
      this.#add(eventOf(outcome), outcome.status, detailOf(outcome, this.#options.hide));
    if (this.#onEnd !== undefined) return this.#settled(outcome, this.#onEnd);
    const { id } = this.#call;
    if (!this.#isSent) return this.#note();
    return this.#flush(outcome.status === "uncertain" ? { uncertain: id } : { settled: id }, false);
  }

  async #settled(outcome: Outcome, onEnd: (outcome: Outcome) => Promise<void>): Promise<void> {
    try {
      await onEnd(outcome);
    } catch (error) {
      const text = isHostError(error) ? error.message : String(error);
      this.#options.log({ level: "error", text: `not written down: ${text}` });
      return;
    }
    await this.#note();
  }

  /** What there is to tell, and no more. Never rejects. */
  #note(): Promise<void> {
    return this.#events.length === 0 ? Promise.resolve() : this.#flush({}, false);
  }

  /** Never rejects, unless it must hold. */
  #flush(step: JournalStep, mustHold: boolean): Promise<void> {
    step.events = this.#events;
    this.#events = [];
    return this.#write(step, mustHold);
  }

  #add(
    event: AuditEvent["event"],
    outcome: string | undefined,
    detail: JsonObject | undefined,
  ): void {
    if (this.#options.isAudited === false) return;
    const { id: call, owner, server, tool, actor } = this.#call;
    const told: AuditEvent = { at: this.#options.now(), owner, call, event, server, tool, actor };
    if (outcome !== undefined) told.outcome = outcome;
    if (detail !== undefined) told.detail = detail;
    this.#events.push(told);
  }
}

// --- internal ---

/** What is particular to an end. */
function detailOf(outcome: Outcome, hide: (text: string) => string): JsonObject {
  const durationMs = Math.round(outcome.durationMs * 1000) / 1000;
  if (outcome.error === undefined)
    return "raw" in outcome
      ? { durationMs, bytes: Buffer.byteLength(outcome.raw) }
      : { durationMs };
  const { code, message, facts } = outcome.error;
  const detail: JsonObject = { durationMs, code, message: hide(message) };
  if ("sent" in outcome) detail["sent"] = outcome.sent;
  for (const fact of ["rule", "plugin", "reason", "by", "rpcCode"]) {
    const value = facts[fact];
    if (typeof value === "string") detail[fact] = hide(value);
    if (typeof value === "number") detail[fact] = value;
  }
  return detail;
}

function eventOf({ status, error }: Outcome): AuditEvent["event"] {
  if (error === undefined) return "answered";
  // A denial is a decision, and the end of it.
  return status === "denied" ? "decided" : "failed";
}
