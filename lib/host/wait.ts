/** Waiting for what others share, each with an own signal: giving up ends the wait and never the work. */
import { HostError, isHostError } from "../base/errors.ts";

/** Waits for `work` until `signal` fires. @throws what `work` throws; HostError `cancelled`, or the signal's own reason */
export async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw givenUp(signal);
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(givenUp(signal));
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Waits for a time or until the signal fires; never rejects. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const stop = () => {
    clearTimeout(timer);
    resolve();
  };
  if (signal.aborted) stop();
  else signal.addEventListener("abort", stop, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", stop));
}

/** The error of a signal that fired: its reason where that is ours, else `cancelled`. */
export function givenUp(signal: AbortSignal): HostError {
  const reason: unknown = signal.reason;
  return isHostError(reason) ? reason : new HostError("cancelled", "cancelled", { cause: reason });
}

/** At most `max` at a time; the others wait in the order they came. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /** Runs `work` when there is room. @throws as `work`; or as `waitFor` when the signal fires before */
  async run<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#wait(signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** The one who leaves hands its place to the first who waits. */
  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free++;
    else {
      this.#waiting.delete(next);
      next();
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await waitFor(promise, signal);
    } catch (error) {
      // If the place was given in the same moment, it is handed on.
      if (!this.#waiting.delete(resolve)) this.#leave();
      throw error;
    }
  }
}
