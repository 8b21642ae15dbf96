/**
 * Writes down calls in the store: the audit log, and the journal of what was sent. What was answered is with the system
 * before the answer is handed on. Where the store cannot be written, calls that nobody has to approve go on, and that is
 * told.
 */
import { isHostError } from "../base/errors.ts";
import type { Call, CallTrack } from "../hooks/call.ts";
import type { JournalStep } from "../store/steps.ts";
import type { AuditEvent } from "../store/types.ts";
import type { Recorder } from "./record-types.ts";
import { Track } from "./track.ts";
import type { TrackOptions } from "./track.ts";

/** What takes steps: the store's journal. */
export interface StepTaker {
  write(step: JournalStep, mustHold?: boolean): Promise<void>;
}

export interface RecordOptions extends TrackOptions {
  /** Undefined: there is nothing to write to. May still be opening. */
  journal: () => StepTaker | Promise<StepTaker> | undefined;
  /** Hears each event, besides. Never throws. */
  tap?: ((event: AuditEvent) => void) | undefined;
}

export class StoreRecorder implements Recorder {
  readonly #options: RecordOptions;
  #isTold = false;
  #change: ((event: AuditEvent) => AuditEvent) | undefined;

  constructor(options: RecordOptions) {
    this.#options = options;
  }

  begin(call: Call): void {
    if (this.#options.isAudited !== false) this.follow(call);
  }

  /** The track of a call that is asked about: it is written down in any case, where there is something to write to. */
  follow(call: Call): CallTrack | undefined {
    if (call.track === undefined && this.#options.journal() !== undefined)
      call.track = new Track(call, this.#options, this.#write);
    return call.track;
  }

  through(change: (event: AuditEvent) => AuditEvent): void {
    this.#change = change;
  }

  readonly #write = (given: JournalStep, mustHold: boolean): Promise<void> => {
    const { journal, tap } = this.#options;
    const step = this.#change === undefined ? given : changed(given, this.#change);
    if (tap !== undefined) for (const event of step.events ?? []) tap(event);
    const taker = journal();
    return taker instanceof Promise
      ? this.#writeLater(step, mustHold, taker)
      : (taker?.write(step, mustHold) ?? Promise.resolve());
  };

  /** The store is still opening. */
  async #writeLater(
    step: JournalStep,
    mustHold: boolean,
    opening: Promise<StepTaker>,
  ): Promise<void> {
    try {
      await (await opening).write(step, mustHold);
    } catch (error) {
      if (mustHold) throw error;
      // It could not be opened: what becomes of an open one is its own to tell.
      if (this.#isTold) return;
      this.#isTold = true;
      const text = isHostError(error) ? error.message : String(error);
      this.#options.log({ level: "error", text: `no audit log: ${text}` });
    }
  }
}

// --- internal ---

function changed(step: JournalStep, change: (event: AuditEvent) => AuditEvent): JournalStep {
  return step.events === undefined ? step : { ...step, events: step.events.map(change) };
}
