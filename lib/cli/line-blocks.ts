/**
 * Lines that wait to be written, as the bytes that are written at once: a short line as an object of its own would weigh a
 * hundred times what it holds. A block holds whole lines, so that two recorders of one file do not mix within a line.
 */
export class Blocks {
  #full: Uint8Array[] = [];
  /** How many of them were taken. */
  #taken = 0;
  readonly #open = new Uint8Array(blockBytes);
  #used = 0;
  /** All that wait. */
  bytes = 0;

  add(line: readonly Uint8Array[]): void {
    const length = bytesOf(line);
    this.bytes += length;
    if (this.#used + length > blockBytes) this.#close();
    if (length > blockBytes) {
      this.#full.push(Buffer.concat(line));
      return;
    }
    for (const part of line) {
      this.#open.set(part, this.#used);
      this.#used += part.length;
    }
  }

  /** The next block, oldest first. */
  take(): Uint8Array | undefined {
    if (this.#taken === this.#full.length) this.#close();
    const block = this.#full[this.#taken];
    if (block === undefined) return undefined;
    this.#taken += 1;
    this.bytes -= block.length;
    if (this.#taken === this.#full.length || this.#taken === takenMax) {
      this.#full.splice(0, this.#taken);
      this.#taken = 0;
    }
    return block;
  }

  clear(): void {
    this.#full = [];
    this.#taken = this.#used = this.bytes = 0;
  }

  #close(): void {
    if (this.#used === 0) return;
    this.#full.push(this.#open.slice(0, this.#used));
    this.#used = 0;
  }
}

export function bytesOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

// --- internal ---

/** Bytes. */
const blockBytes = 262_144;
/** Blocks that were taken and are let go of together: each by itself would move all the others. */
const takenMax = 64;
