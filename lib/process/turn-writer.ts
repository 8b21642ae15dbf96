/**
 * Gathers lines that are written in one turn of the event loop: with many calls in flight, a write for each line costs
 * more than all the rest. The first line of a turn is never held back, and nothing is once `flush` was called.
 */
export class TurnWriter {
  readonly #write: (lines: string) => Promise<void>;
  /** Lines behind the first one of this turn; undefined: nothing was written in this turn. */
  #lines: string[] | undefined;
  #written: PromiseWithResolvers<void> | undefined;

  /** @param write takes one or more whole lines, divided by LF, the last one without it; called in their order */
  constructor(write: (lines: string) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the line was taken. @throws what `write` throws */
  write(line: string): Promise<void> {
    if (this.#lines === undefined) {
      this.#lines = [];
      setImmediate(() => this.flush());
      return this.#write(line);
    }
    this.#lines.push(line);
    this.#written ??= Promise.withResolvers<void>();
    return this.#written.promise;
  }

  /** Writes what is held back: before the end, which comes behind what was written. */
  flush(): void {
    const lines = this.#lines ?? [];
    const written = this.#written;
    this.#lines = undefined;
    this.#written = undefined;
    if (written) this.#write(lines.join("\n")).then(written.resolve, written.reject);
  }
}
