/**
 * Hears that a client has left before its request was answered. Most are answered sooner than it is worth to listen: a signal,
 * and a listener of it, cost more than many a call.
 */
import type { Deadlines, Due } from "../base/deadlines.ts";

/** How long a client that has left may go unnoticed. */
export const leaveMs = 50;

export class Leaving implements Due, Disposable {
  readonly at = performance.now();
  readonly #request: Pick<Request, "signal">;
  readonly #action: () => void;
  readonly #unheard: Deadlines;
  #heard: AbortSignal | undefined;

  /** @param unheard those that nobody listens to yet, of `leaveMs` */
  constructor(request: Pick<Request, "signal">, action: () => void, unheard: Deadlines) {
    this.#request = request;
    this.#action = action;
    this.#unheard = unheard;
    unheard.add(this);
  }

  expire(): void {
    const { signal } = this.#request;
    if (signal.aborted) return this.#action();
    this.#heard = signal;
    signal.addEventListener("abort", this.#action, { once: true });
  }

  [Symbol.dispose](): void {
    this.#unheard.delete(this);
    this.#heard?.removeEventListener("abort", this.#action);
  }
}
