/**
 * Messages without an answer that are on their way, so that the last of them (most often a cancellation) is not cut off by
 * the end of the link. It sends nothing.
 */
import { settlesWithin } from "../base/async.ts";

export class UnderWay {
  /** Of those that were sent, once there is one. */
  #scope: AbortController | undefined;
  readonly #all = new Set<Promise<unknown>>();

  get isAny(): boolean {
    return this.#all.size > 0;
  }

  /** What the sending of one of them ends with; `signal`: its own. */
  until(signal?: AbortSignal): AbortSignal {
    const own = (this.#scope ??= new AbortController()).signal;
    return signal === undefined ? own : AbortSignal.any([own, signal]);
  }

  /** Counts as on its way until it settles. */
  async track<T>(sending: Promise<T>): Promise<T> {
    this.#all.add(sending);
    try {
      return await sending;
    } finally {
      this.#all.delete(sending);
    }
  }

  /** Gives them so many milliseconds, and ends those that are left. */
  async end(ms: number): Promise<void> {
    if (this.isAny && ms > 0) await settlesWithin(Promise.allSettled(this.#all), ms);
    this.#scope?.abort();
  }
}
