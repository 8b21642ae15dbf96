/**
 * Turns of the event loop for a loop that may never have to wait: a pipe that is always full is read in microtasks alone, and
 * timers, other pipes and requests would never come to their turn.
 */

/** Of a chunk, what is handled between two turns: Bun reads a pipe until it is empty, which may be never, into one chunk. */
export const portionBytes = 1_048_576;

/** What a read costs beside its bytes, as if it were so many: what is asked and answered, one at a time, seldom turns. */
const readBytes = 32_768;

export class Turns {
  #left = portionBytes;

  /** To be awaited after each read, of so many bytes, where it is there. */
  next(bytes: number): Promise<void> | undefined {
    this.#left -= bytes + readBytes;
    if (this.#left > 0) return undefined;
    this.#left = portionBytes;
    return new Promise((resolve) => setImmediate(resolve));
  }
}
