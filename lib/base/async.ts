/** Small tools for waiting: abortable waits, bounded waits, limiting how many run. Nothing here knows what it waits for. */
import { Aborts } from "./aborts.ts";
import { Chain } from "./chain.ts";
import type { Linked } from "./chain.ts";

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

/** Who waits for a permit of a semaphore. */
export interface Waiter extends Linked<Waiter> {
  /** Whose it is, where that is of interest. */
  readonly owner?: string | undefined;
  /** It has one now. Never throws. */
  turn(): void;
}

/** Lets at most `permits` run at once; the others wait in order. Every permit that was taken is released, once. */
export class Semaphore {
  readonly #permits: number;
  #free: number;
  readonly #waiting = new Chain<Waiter>();
  readonly #aborts = new Aborts((signal) => this.#aborted(signal));
  #isHandingOn = false;

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
    return this.#waiting.size;
  }

  /** How many of those that wait are of one owner. */
  waitingOf(owner: string | undefined): number {
    let count = 0;
    for (let one = this.#waiting.first; one !== undefined; one = one.after)
      if (one.owner === owner) count += 1;
    return count;
  }

  /** Takes a permit if one is free. */
  take(): boolean {
    if (this.#free === 0 || this.#waiting.size > 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Takes a permit as soon as one is free. Rejects with the reason of `signal` when that fires before. */
  acquire(signal?: AbortSignal, owner?: string): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.take()) return Promise.resolve();
    const waiter = new PromisedWaiter(signal, this.#aborts, owner);
    if (signal !== undefined) this.#aborts.add(signal);
    this.#waiting.add(waiter);
    return waiter.settle.promise;
  }

  /** The same for one who is told itself; where one could not be taken. */
  wait(waiter: Waiter): void {
    this.#waiting.add(waiter);
  }

  /** It waits no more. */
  leave(waiter: Waiter): void {
    this.#waiting.delete(waiter);
  }

  release(): void {
    this.#free += 1;
    // Whoever has a turn may be done with it at once: not each inside the one before.
    if (this.#isHandingOn) return;
    this.#isHandingOn = true;
    try {
      while (this.#free > 0 && this.#waiting.first !== undefined) this.#handOn(this.#waiting.first);
    } finally {
      this.#isHandingOn = false;
    }
  }

  #handOn(next: Waiter): void {
    this.#free -= 1;
    this.#waiting.delete(next);
    next.turn();
  }

  #aborted(signal: AbortSignal): void {
    for (const waiter of this.#waiting.all()) {
      if (!(waiter instanceof PromisedWaiter) || waiter.signal !== signal) continue;
      this.#waiting.delete(waiter);
      waiter.settle.reject(signal.reason);
    }
  }
}

// --- internal ---

class PromisedWaiter implements Waiter {
  before: Waiter | undefined;
  after: Waiter | undefined;
  readonly signal: AbortSignal | undefined;
  readonly owner: string | undefined;
  readonly settle = Promise.withResolvers<void>();
  readonly #aborts: Aborts;

  constructor(signal: AbortSignal | undefined, aborts: Aborts, owner: string | undefined) {
    this.signal = signal;
    this.owner = owner;
    this.#aborts = aborts;
  }

  turn(): void {
    if (this.signal !== undefined) this.#aborts.remove(this.signal);
    this.settle.resolve();
  }
}
