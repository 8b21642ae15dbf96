/**
 * Turns of the event loop for a loop that may never have to wait: a pipe that is always full is read in microtasks alone, and
 * timers, other pipes and requests would never come to their turn.
 */

/** Of a chunk, what is handled between two turns: Bun reads a pipe until it is empty, which may be never, into one chunk. */
export const portionBytes = 1_048_576;

/** How many reads go on without one: as much as a busy pipe brings in some milliseconds. */
const readsMax = 8;

export class Turns {
  #reads = 0;

  /** To be awaited after each read, where it is there. */
  next(): Promise<void> | undefined {
    this.#reads += 1;
    if (this.#reads < readsMax) return undefined;
    this.#reads = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
