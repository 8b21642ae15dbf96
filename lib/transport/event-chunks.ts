/** The bytes of an event stream as they come, and that none came for a while where only a blank line may be missing. */
import { settlesWithin } from "../base/async.ts";

export interface Chunk {
  /** Undefined behind the last one. */
  value?: Uint8Array | undefined;
}

export class EventChunks {
  readonly #reader;
  /** A chunk that was asked for and has not come. */
  #coming: Promise<Chunk> | undefined;
  /** A blank line was missing behind an event. */
  #forgets = false;

  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = body.getReader();
  }

  /** The next one; undefined where `mayBeWhole` and none came soon. @throws what broke the stream */
  next(mayBeWhole: boolean): Promise<Chunk | undefined> {
    const chunk: Promise<Chunk> = this.#coming ?? this.#reader.read();
    this.#coming = mayBeWhole ? chunk : undefined;
    return mayBeWhole ? this.#soon(chunk) : chunk;
  }

  /** It was whole: who once forgot a blank line is not waited for again. */
  missed(): void {
    this.#forgets = true;
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel().catch(() => {});
  }

  // --- internal ---

  async #soon(chunk: Promise<Chunk>): Promise<Chunk | undefined> {
    if (!(await settlesWithin(chunk, this.#forgets ? 0 : blankMs))) return undefined;
    this.#coming = undefined;
    return chunk;
  }
}

// --- internal ---

/** How long nothing may come before an event without its blank line is taken as it is. */
const blankMs = 100;
