/**
 * Gathers lines that are written in one turn of the event loop: with many calls in flight, a write for each line costs
 * more than all the rest. The first line since something was heard is held back only where many came in the turn before,
 * and nothing is once `flush` was called: who asks and is answered, one at a time, costs the event loop no turn of its own,
 * and is watched over.
 */
import { Vigil } from "./vigil.ts";

/** Undefined: taken at once. */
type Written = Promise<void> | undefined;

export class TurnWriter {
  readonly #write: (lines: string) => Written;
  readonly #onTurn = () => this.flush();
  readonly #vigil: Vigil | undefined;
  /** A line was written, maybe in this turn. */
  #isWriting = false;
  /**
   * Several lines went together, so that the next first one has company, too: alone it would wake the other side, and its
   * answer us, for one of many.
   */
  #isBusy = false;
  /** Lines behind it, until the turn is over. */
  #lines: string[] = [];
  #written: PromiseWithResolvers<void> | undefined;

  /**
   * @param write takes one or more whole lines, divided by LF, the last one without it; called in their order
   * @param vigil over a line that waits alone; on a single processor that would only take the other side's time
   */
  constructor(
    write: (lines: string) => Written,
    vigil = navigator.hardwareConcurrency > 1 ? new Vigil() : undefined,
  ) {
    this.#write = write;
    this.#vigil = vigil;
  }

  /** Resolves when the line was taken, with one promise for all lines that go together. @throws what `write` throws */
  write(line: string): Written {
    if (!this.#isWriting && !this.#isBusy) {
      this.#isWriting = true;
      const taken = this.#write(line);
      this.#vigil?.begin();
      return taken;
    }
    this.#vigil?.end();
    if (this.#written === undefined) {
      this.#written = Promise.withResolvers<void>();
      setImmediate(this.#onTurn);
    }
    this.#lines.push(line);
    return this.#written.promise;
  }

  /** Something was heard from the other side: most often a turn has passed. */
  heard(): void {
    this.#vigil?.heard();
    if (this.#written === undefined) this.#isWriting = false;
  }

  /** Writes what is held back: before the end, which comes behind what was written. */
  flush(): void {
    this.#isWriting = false;
    const written = this.#written;
    if (written === undefined) return;
    const lines = this.#lines;
    this.#written = undefined;
    this.#lines = [];
    this.#isBusy = lines.length > 1;
    const taken = this.#write(lines.join("\n"));
    if (taken === undefined) written.resolve();
    else taken.then(written.resolve, written.reject);
  }
}
