/**
 * The answers that are not made at once, all under one timer: those that take long become streams. Once the process stops
 * and their time is over, each is told.
 */
import { Chain } from "../base/chain.ts";
import type { Linked } from "../base/chain.ts";
import type { Exchange } from "./types.ts";

/** One answer that is still being made. */
export interface Waiter extends Linked<Waiter> {
  /** Since when it is here, on the clock of `performance.now`. */
  readonly at: number;
  readonly exchange: Pick<Exchange, "signal">;
  /** It takes long. */
  grow(): void;
  /** There is no time left for it. */
  end(): void;
}

export class Waiting {
  readonly #streamAfterMs: number;
  readonly #stopping: AbortSignal;
  readonly #all = new Chain<Waiter>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param stopping fires when no new requests come */
  constructor(stopping: AbortSignal, streamAfterMs: number) {
    this.#streamAfterMs = streamAfterMs;
    this.#stopping = stopping;
    const stop = () => {
      for (const waiter of this.#all.all()) endWith(waiter);
    };
    stopping.addEventListener("abort", stop, { once: true });
  }

  add(waiter: Waiter): void {
    this.#all.add(waiter);
    if (this.#stopping.aborted) endWith(waiter);
    if (this.#timer === undefined) this.#wait(this.#streamAfterMs);
  }

  delete(waiter: Waiter): void {
    this.#all.delete(waiter);
  }

  // --- internal ---

  /** The oldest are the first. */
  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    let nextMs: number | undefined;
    for (let waiter = this.#all.first; waiter !== undefined; waiter = waiter.after) {
      const leftMs = waiter.at + this.#streamAfterMs - now;
      if (leftMs > 1) {
        nextMs = leftMs;
        break;
      }
      waiter.grow();
    }
    // Those that have grown are still there, and are asked again with the next.
    if (nextMs !== undefined) this.#wait(nextMs);
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms);
  }
}

// --- internal ---

/** It ends when the time that running requests have is over. */
function endWith(waiter: Waiter): void {
  const { signal } = waiter.exchange;
  if (signal.aborted) waiter.end();
  else signal.addEventListener("abort", () => waiter.end(), { once: true });
}
