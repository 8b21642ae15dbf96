/** Small tools for waiting: abortable waits, bounded waits, limiting how many run. Nothing here knows what it waits for. */
import { Aborts } from "./aborts.ts";

/** Waits for `promise`, but no longer than `signal` allows: rejects with its reason. The promise itself runs on, watched. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: result, resolve, reject } = Promise.withResolvers<T>();
  const onAbort = () => reject(signal.reason);
  promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  return result;
}

/** The longest time that a timer takes (24 days): the delay is a signed 32-bit number, and a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Waits `ms` milliseconds. Rejects with the reason of `signal` when that fires first; leaves no timer behind. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.reject(signal.reason);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  const timer = setTimeout(
    () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    },
    Math.min(ms, timerMsMax),
  );
  signal?.addEventListener("abort", onAbort, { once: true });
  return promise;
}

/** True if `promise` settles within `ms` (a rejection counts); leaves no timer behind and never rejects. */
export async function settlesWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), Math.min(ms, timerMsMax));
  try {
    return await Promise.race([promise.then(() => true), late]);
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
  }
}

/** Lets at most `permits` run at once; the others wait in order. Every permit that was taken is released, once. */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  #waiting: Waiter[] = [];
  readonly #aborts = new Aborts((signal) => this.#aborted(signal));

  constructor(permits: number) {
    this.#permits = permits;
    this.#free = permits;
  }

  /** Nobody has a permit. */
  get isUnused(): boolean {
    return this.#free === this.#permits;
  }

  /** How many wait for one. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Takes a permit if one is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a permit as soon as one is free. Rejects with the reason of `signal` when that fires before. */
  acquire(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    return this.take() ? Promise.resolve() : this.#wait(signal);
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    if (next.signal !== undefined) this.#aborts.remove(next.signal);
    next.resolve();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.push({ signal, resolve, reject });
    if (signal !== undefined) this.#aborts.add(signal);
    return promise;
  }

  #aborted(signal: AbortSignal): void {
    const gone = this.#waiting.filter((waiter) => waiter.signal === signal);
    this.#waiting = this.#waiting.filter((waiter) => waiter.signal !== signal);
    for (const { reject } of gone) reject(signal.reason);
  }
}

// --- internal ---

interface Waiter {
  signal: AbortSignal | undefined;
  resolve: () => void;
  reject: (reason: unknown) => void;
}
