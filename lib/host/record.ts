/**
 * Writes down calls in the store: the audit log, and the journal of what was sent. What was answered is with the system
 * before the answer is handed on. Where the store cannot be written, calls that nobody has to approve go on, and that is
 * told.
 */
import { isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import { redacted } from "../hooks/redact.ts";
import type { JournalStep } from "../store/steps.ts";
import type { AuditEvent } from "../store/types.ts";
import type { CallTrack, Recorder } from "./record-types.ts";

/** What takes steps: the store's journal. */
export interface StepTaker {
  write(step: JournalStep, mustHold?: boolean): Promise<void>;
}

export interface RecordOptions {
  /** Undefined: there is nothing to write to. May still be opening. */
  journal: () => StepTaker | Promise<StepTaker> | undefined;
  log: Log;
  /** Takes known secrets out of a text. */
  hide: (text: string) => string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** There is an audit log; without it only what is asked about is written, and only its journal. @default true */
  isAudited?: boolean;
  /** Hears each event, besides. Never throws. */
  tap?: ((event: AuditEvent) => void) | undefined;
}

export class StoreRecorder implements Recorder {
  readonly #options: RecordOptions;
  readonly #tracks = new WeakMap<Call, Track>();
  #isTold = false;
  #change: ((event: AuditEvent) => AuditEvent) | undefined;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  of(call: Call): Track | undefined {
    return this.#options.isAudited === false ? this.#tracks.get(call) : this.track(call);
  }

  /** The same of a call that is asked about: it is followed in any case. */
  track(call: Call): Track | undefined {
    const known = this.#tracks.get(call);
    if (known !== undefined || this.#options.journal() === undefined) return known;
    const track = new Track(call, this.#options, (step, mustHold) => this.#write(step, mustHold));
    this.#tracks.set(call, track);
    return track;
  }

  through(change: (event: AuditEvent) => AuditEvent): void {
    this.#change = change;
  }

  async #write(given: JournalStep, mustHold: boolean): Promise<void> {
    const { journal, tap, log } = this.#options;
    const events = this.#change && given.events?.map(this.#change);
    const step = events === undefined ? given : { ...given, events };
    if (tap !== undefined) for (const event of step.events ?? []) tap(event);
    try {
      const taker = journal();
      await (taker instanceof Promise ? await taker : taker)?.write(step, mustHold);
    } catch (error) {
      if (mustHold) throw error;
      // The store could not be opened: what becomes of an open one is its own to tell.
      if (!this.#isTold) log({ level: "error", text: `no audit log: ${textOf(error)}` });
      this.#isTold = true;
    }
  }
}

/** What the approver of a call has to say of its end, in place of the journal. */
export type OnEnd = (outcome: Outcome) => Promise<void>;

export class Track implements CallTrack {
  readonly #call: Call;
  readonly #options: RecordOptions;
  readonly #write: (step: JournalStep, mustHold: boolean) => Promise<void>;
  readonly #proposed: JsonObject;
  /** Not yet written. */
  #events: AuditEvent[] = [];
  #isDecided = false;
  #isSent = false;
  #onEnd: OnEnd | undefined;

  constructor(
    call: Call,
    options: RecordOptions,
    write: (step: JournalStep, mustHold: boolean) => Promise<void>,
  ) {
    this.#call = call;
    this.#options = options;
    this.#write = write;
    this.#proposed = call.arguments;
    this.#add("proposed", { detail: { arguments: redacted(call.arguments, options.hide) } });
  }

  decided(outcome: "allowed" | "approved", by?: string): void {
    if (this.#isDecided) return;
    this.#isDecided = true;
    const { arguments: args } = this.#call;
    const isChanged = args !== this.#proposed;
    const detail = {
      ...(by !== undefined && { by }),
      ...(isChanged && { arguments: redacted(args, this.#options.hide) }),
    };
    this.#add("decided", { outcome, detail });
  }

  /** Writes what there is by now: the call waits for somebody. */
  async waits(question: string): Promise<void> {
    this.#add("decided", { outcome: "asked", detail: { question: this.#options.hide(question) } });
    await this.#flush({}, false);
  }

  /** It was approved and claimed: it is sent only if that can be written down, and `onEnd` writes what came of it. */
  claimed(onEnd: OnEnd): void {
    this.#onEnd = onEnd;
  }

  async sending(): Promise<void> {
    const { id, owner, server, tool } = this.#call;
    // Sent once more, where its server said that it was not done.
    if (!this.#isSent) this.#add("sent", {});
    this.#isSent = true;
    await this.#flush({ sent: { id, owner, server, tool } }, this.#onEnd !== undefined);
  }

  async ended(outcome: Outcome): Promise<void> {
    const { id } = this.#call;
    this.#add(...endOf(outcome, this.#options.hide));
    const isUncertain = outcome.status === "uncertain";
    const end = isUncertain ? { uncertain: id } : { settled: id };
    try {
      await this.#onEnd?.(outcome);
      await this.#flush(this.#isSent && this.#onEnd === undefined ? end : {}, false);
    } catch (error) {
      this.#options.log({ level: "error", text: `not written down: ${textOf(error)}` });
    }
  }

  async #flush(step: JournalStep, mustHold: boolean): Promise<void> {
    const events = this.#events;
    this.#events = [];
    await this.#write({ events, ...step }, mustHold);
  }

  #add(event: AuditEvent["event"], more: Pick<AuditEvent, "outcome" | "detail">): void {
    if (this.#options.isAudited === false) return;
    const { id, owner, server, tool, actor } = this.#call;
    const at = this.#options.now();
    this.#events.push({ at, owner, call: id, event, server, tool, actor, ...more });
  }
}

// --- internal ---

function endOf(
  outcome: Outcome,
  hide: (text: string) => string,
): [AuditEvent["event"], { outcome: string; detail: JsonObject }] {
  const { status } = outcome;
  const durationMs = Math.round(outcome.durationMs * 1000) / 1000;
  if (outcome.error === undefined) {
    const bytes = "raw" in outcome ? { bytes: Buffer.byteLength(outcome.raw) } : {};
    return ["answered", { outcome: status, detail: { durationMs, ...bytes } }];
  }
  const { code, message, facts } = outcome.error;
  const detail: JsonObject = { durationMs, code, message: hide(message) };
  if ("sent" in outcome) detail["sent"] = outcome.sent;
  for (const fact of ["rule", "plugin", "reason", "by", "rpcCode"]) {
    const value = facts[fact];
    if (typeof value === "string") detail[fact] = hide(value);
    if (typeof value === "number") detail[fact] = value;
  }
  // A denial is a decision, and the end of it.
  return [status === "denied" ? "decided" : "failed", { outcome: status, detail }];
}

function textOf(error: unknown): string {
  return isHostError(error) ? error.message : String(error);
}
