/** The calls that run, each with one signal: it fires for whoever asked, by the call's id, and when the host ends. */

export class RunningCalls {
  readonly #end: AbortSignal;
  readonly #calls = new Map<string, Running>();

  /** @param end ends every call */
  constructor(end: AbortSignal) {
    this.#end = end;
    const endAll = () => {
      for (const { controller } of this.#calls.values()) controller.abort(end.reason);
    };
    end.addEventListener("abort", endAll, { once: true });
  }

  /** The signal of a call until `done`. Joining signals by hand costs a fraction of `AbortSignal.any`. */
  begin(id: string, given: AbortSignal | undefined): AbortSignal {
    const controller = new AbortController();
    const giveUp = () => controller.abort(given?.reason);
    this.#calls.set(id, { controller, given, giveUp });
    if (this.#end.aborted) controller.abort(this.#end.reason);
    else if (given?.aborted === true) giveUp();
    else given?.addEventListener("abort", giveUp, { once: true });
    return controller.signal;
  }

  done(id: string): void {
    const running = this.#calls.get(id);
    running?.given?.removeEventListener("abort", running.giveUp);
    this.#calls.delete(id);
  }

  /** False where no such call runs. */
  cancel(id: string, reason: unknown): boolean {
    const running = this.#calls.get(id);
    running?.controller.abort(reason);
    return running !== undefined;
  }
}

// --- internal ---

interface Running {
  controller: AbortController;
  given: AbortSignal | undefined;
  giveUp: () => void;
}
