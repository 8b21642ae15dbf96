/** The calls that run, each with what gives it up: whoever asked, by the call's id or a signal, and the end of the host. */
import { Cancel } from "../base/cancel.ts";

export class RunningCalls {
  readonly #end: AbortSignal;
  readonly #calls = new Map<string, Running>();

  /** @param end ends every call */
  constructor(end: AbortSignal) {
    this.#end = end;
    const endAll = () => {
      for (const { cancel } of this.#calls.values()) cancel.cancel(end.reason);
    };
    end.addEventListener("abort", endAll, { once: true });
  }

  /** What gives up a call, until `done`. */
  begin(id: string, given: AbortSignal | undefined): Cancel {
    const cancel = new Cancel();
    if (given === undefined) this.#calls.set(id, { cancel });
    else {
      const giveUp = () => cancel.cancel(given.reason);
      this.#calls.set(id, { cancel, given, giveUp });
      if (given.aborted) giveUp();
      else given.addEventListener("abort", giveUp, { once: true });
    }
    if (this.#end.aborted) cancel.cancel(this.#end.reason);
    return cancel;
  }

  done(id: string): void {
    const running = this.#calls.get(id);
    if (running?.giveUp !== undefined) running.given?.removeEventListener("abort", running.giveUp);
    this.#calls.delete(id);
  }

  /** False where no such call runs. */
  cancel(id: string, reason: unknown): boolean {
    const running = this.#calls.get(id);
    running?.cancel.cancel(reason);
    return running !== undefined;
  }
}

// --- internal ---

interface Running {
  cancel: Cancel;
  given?: AbortSignal;
  giveUp?: () => void;
}
