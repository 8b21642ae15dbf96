/**
 * Many waits of the same length under one timer: to begin and to end one costs a fraction of a timer of its own. It is exact
 * to a few milliseconds, and keeps no process alive.
 */

import { Chain } from "./chain.ts";
import type { Linked } from "./chain.ts";

/** One wait. */
export interface Due extends Linked<Due> {
  /** When it began, on the clock of `performance.now`. */
  readonly at: number;
  /** It was not deleted in time, and is no longer among those that wait. Never throws. */
  expire(): void;
}

export class Deadlines {
  readonly #ms: number;
  /** The oldest first. */
  readonly #all = new Chain<Due>();
  #timer: Timer | undefined;

  /** @param ms how long each may take */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** `due` begins now. */
  add(due: Due): void {
    this.#all.add(due);
    if (this.#timer === undefined) this.#wait(this.#ms);
  }

  delete(due: Due): void {
    this.#all.delete(due);
  }

  /** The time of all that wait is over. */
  expireAll(): void {
    for (const due of this.#all.all()) this.#expire(due);
  }

  // --- internal ---

  #wait(ms: number): void {
    this.#timer = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (let due = this.#all.first; due !== undefined; due = this.#all.first) {
      const leftMs = due.at + this.#ms - now;
      if (leftMs > 1) return this.#wait(leftMs);
      this.#expire(due);
    }
  }

  #expire(due: Due): void {
    this.#all.delete(due);
    due.expire();
  }
}
