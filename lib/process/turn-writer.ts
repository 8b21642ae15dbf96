/**
 * Gathers lines that are written in one turn of the event loop: with many calls in flight, a write for each line costs
 * more than all the rest. The first line of a turn is never held back, and nothing is once `flush` was called.
 */

/** Undefined: taken at once. */
type Written = Promise<void> | undefined;

export class TurnWriter {
  readonly #write: (lines: string) => Written;
  readonly #onTurn = () => this.flush();
  /** A line was written in this turn. */
  #isWriting = false;
  /** Lines behind the first one of this turn. */
  #lines: string[] = [];
  #written: PromiseWithResolvers<void> | undefined;

  /** @param write takes one or more whole lines, divided by LF, the last one without it; called in their order */
  constructor(write: (lines: string) => Written) {
    this.#write = write;
  }

  /** Resolves when the line was taken, with one promise for all lines that go together. @throws what `write` throws */
  write(line: string): Written {
    if (!this.#isWriting) {
      this.#isWriting = true;
      setImmediate(this.#onTurn);
      return this.#write(line);
    }
    this.#lines.push(line);
    this.#written ??= Promise.withResolvers<void>();
    return this.#written.promise;
  }

  /** Writes what is held back: before the end, which comes behind what was written. */
  flush(): void {
    this.#isWriting = false;
    const written = this.#written;
    if (written === undefined) return;
    const lines = this.#lines;
    this.#written = undefined;
    this.#lines = [];
    const taken = this.#write(lines.join("\n"));
    if (taken === undefined) written.resolve();
    else taken.then(written.resolve, written.reject);
  }
}
