/**
 * The chunks of a child's output pipe until its end, or until the child is gone and the pipe is silent: a grandchild may
 * keep a pipe open for ever. It never splits or decodes. A plain iterator, since generators cost several turns of the
 * microtask queue for each chunk.
 */
import { portionBytes, Turns } from "../base/turns.ts";

export interface ChunksOptions {
  /** When nobody is left to write, with the milliseconds that may then still be spent, altogether, on waiting for bytes. */
  gone: Promise<number>;
  /** Awaited between the last chunk and the end. */
  beforeEnd?: () => Promise<unknown>;
}

/**
 * Reads `stream` from the first `next` to its end. What is in the pipe when the child is gone always arrives, however
 * slow the consumer is. Leaving the loop closes the pipe.
 */
export class Chunks implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: ReadableStream<Uint8Array>;
  readonly #options: ChunksOptions;
  readonly #turns = new Turns();
  #reader: Reader | undefined;
  /** What is left of a chunk that is handed on in portions. */
  #rest: Uint8Array | undefined;
  #isGone = false;
  #isWaiting = false;
  #leftMs = 0;
  #timer: Timer | undefined;
  #since = 0;

  constructor(stream: ReadableStream<Uint8Array>, options: ChunksOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const reader = (this.#reader ??= this.#open());
    const turn = this.#turns.next();
    if (turn !== undefined) await turn;
    if (this.#rest !== undefined) return this.#portion(this.#rest);
    this.#isWaiting = true;
    if (this.#isGone) this.#startTimer();
    try {
      const { value, done } = await reader.read();
      if (!done && value.length > portionBytes) return this.#portion(value);
      if (!done) return { value, done };
    } finally {
      this.#isWaiting = false;
      if (this.#isGone) this.#stopTimer();
    }
    await this.#options.beforeEnd?.();
    return { value: undefined, done: true };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#cancel();
    return { value: undefined, done: true };
  }

  // --- internal ---

  #portion(chunk: Uint8Array): IteratorYieldResult<Uint8Array> {
    this.#rest = chunk.length > portionBytes ? chunk.subarray(portionBytes) : undefined;
    return { value: chunk.subarray(0, portionBytes), done: false };
  }

  #open(): Reader {
    void this.#watch();
    return readerOf(this.#stream);
  }

  async #watch(): Promise<void> {
    this.#leftMs = await this.#options.gone;
    this.#isGone = true;
    if (this.#isWaiting) this.#startTimer();
  }

  #startTimer(): void {
    this.#since = performance.now();
    this.#timer = setTimeout(() => this.#cancel(), this.#leftMs);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#leftMs = Math.max(0, this.#leftMs - (performance.now() - this.#since));
  }

  #cancel(): void {
    this.#reader?.cancel().catch(() => {});
  }
}

type Reader = ReturnType<typeof readerOf>;

function readerOf(stream: ReadableStream<Uint8Array>) {
  return stream.getReader();
}
