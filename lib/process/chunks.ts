/**
 * The chunks of a child's output pipe until its end, or until the child is gone and the pipe is silent: a grandchild may
 * keep a pipe open for ever. It never splits or decodes. A plain iterator, since generators cost several turns of the
 * microtask queue for each chunk.
 */
import { portionBytes, Turns } from "../base/turns.ts";
import type { Output, Reader } from "./run.ts";

export interface ChunksOptions {
  /** When nobody is left to write, with the milliseconds that may then still be spent, altogether, on waiting for bytes. */
  gone: Promise<number>;
  /** Told of each chunk, before it is handed on. */
  onChunk?: () => void;
  /** Awaited between the last chunk and the end. */
  beforeEnd?: () => Promise<unknown>;
}

/**
 * Reads `stream` from the first `next` to its end. What is in the pipe when the child is gone always arrives, however
 * slow the consumer is. Leaving the loop closes the pipe.
 */
export class Chunks implements AsyncIterableIterator<Uint8Array> {
  readonly #stream: Output;
  readonly #options: ChunksOptions;
  readonly #turns = new Turns();
  #reader: Reader | undefined;
  /** What is left of a chunk that is handed on in portions. */
  #rest: Uint8Array | undefined;
  /** How large the last chunk was. */
  #size = 0;
  #isGone = false;
  #isWaiting = false;
  #leftMs = 0;
  #timer: Timer | undefined;
  #since = 0;
  // Made once: one for each chunk would cost more than the rest of it.
  readonly #onTurn = () => (this.#rest === undefined ? this.#read() : this.#portion(this.#rest));
  readonly #onRead = (read: Read): Chunk | Promise<Chunk> => {
    this.#waited();
    if (read.done) return this.#over();
    this.#options.onChunk?.();
    this.#size = read.value.length;
    return this.#size > portionBytes ? this.#portion(read.value) : read;
  };
  readonly #onBroken = (error: unknown): never => {
    this.#waited();
    throw error;
  };

  constructor(stream: Output, options: ChunksOptions) {
    this.#stream = stream;
    this.#options = options;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Chunk> {
    const turn = this.#turns.next(this.#size);
    if (turn !== undefined) return turn.then(this.#onTurn);
    if (this.#rest !== undefined) return Promise.resolve(this.#portion(this.#rest));
    return this.#read();
  }

  async return(): Promise<Chunk> {
    this.#cancel();
    return { value: undefined, done: true };
  }

  // --- internal ---

  #read(): Promise<Chunk> {
    const reader = (this.#reader ??= this.#open());
    this.#isWaiting = true;
    if (this.#isGone) this.#startTimer();
    return reader.read().then(this.#onRead, this.#onBroken);
  }

  #waited(): void {
    this.#isWaiting = false;
    if (this.#isGone) this.#stopTimer();
  }

  async #over(): Promise<Chunk> {
    await this.#options.beforeEnd?.();
    return { value: undefined, done: true };
  }

  #portion(chunk: Uint8Array): Chunk {
    this.#rest = chunk.length > portionBytes ? chunk.subarray(portionBytes) : undefined;
    const value = chunk.subarray(0, portionBytes);
    this.#size = value.length;
    return { value, done: false };
  }

  #open(): Reader {
    void this.#watch();
    return this.#stream.getReader();
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

type Chunk = IteratorResult<Uint8Array, undefined>;
type Read = Awaited<ReturnType<Reader["read"]>>;
