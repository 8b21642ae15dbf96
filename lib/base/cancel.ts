/**
 * The giving up of one piece of work, with an AbortSignal only where somebody wants one: to make one and to listen to it costs
 * more than most of what a call does.
 */
export class Cancel {
  #controller: AbortController | undefined;
  #isCancelled = false;
  #reason: unknown;
  /** Who waits, and is told in place of a listener. */
  waiter: { cancelled(): void } | undefined;

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  get reason(): unknown {
    return this.#reason;
  }

  /** Fires when it is cancelled. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isCancelled) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Once: what comes after changes nothing. */
  cancel(reason: unknown): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    this.#reason = reason;
    this.waiter?.cancelled();
    this.#controller?.abort(reason);
  }
}
