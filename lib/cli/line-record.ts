/**
 * The record of `tee`: a file of lines with their times and directions. Nobody waits for it: a file that is too slow loses
 * lines, with their count written in their place, and nothing else.
 */
import type { FileHandle } from "node:fs/promises";

import { Blocks, bytesOf } from "./line-blocks.ts";

/** `>>`: towards the server; `<<`: from it; `--`: a word of our own. */
export type Mark = ">>" | "<<" | "--";

/** Cuts one direction into lines and gives each, without its LF, to `take`. An unfinished last line counts at the end. */
export class Lines {
  readonly #take: (parts: Uint8Array[], cutBytes: number) => void;
  readonly #lineBytesMax: number;
  #parts: Uint8Array[] = [];
  #bytes = 0;
  #cut = 0;

  /** A line longer than `lineBytesMax` is cut there; `cutBytes` says by how much. */
  constructor(take: (parts: Uint8Array[], cutBytes: number) => void, lineBytesMax: number) {
    this.#take = take;
    this.#lineBytesMax = lineBytesMax;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      if (end < 0) break;
      this.#keep(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
  }

  end(): void {
    if (this.#bytes > 0) this.#flush();
  }

  #keep(part: Uint8Array): void {
    if (part.length === 0) return;
    const kept = part.subarray(0, this.#lineBytesMax - this.#bytes);
    this.#cut += part.length - kept.length;
    this.#bytes += kept.length;
    if (kept.length > 0) this.#parts.push(kept);
  }

  #flush(): void {
    this.#take(this.#parts, this.#cut);
    this.#parts = [];
    this.#bytes = this.#cut = 0;
  }
}

export interface RecordOptions {
  /** Opens the file for appending; may take its time. */
  open: () => Promise<FileHandle>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Is told once, when the file cannot be opened or written: nothing more is recorded. */
  failed: (error: unknown) => void;
  /** What may wait for the file, in bytes; more is dropped and counted. @default 268435456 */
  queueBytesMax?: number;
  /** @default 67108864 */
  lineBytesMax?: number;
}

/** What any disk takes in the time that nothing may be taken. */
const slowBytes = 1_048_576;

/** The file: `SECONDS.mmm >> line`, each written as soon as the file takes it, in the order seen. */
export class LineRecord {
  readonly #options: RecordOptions;
  readonly #file: Promise<FileHandle | undefined>;
  readonly #encoder = new TextEncoder();
  readonly #waiting = new Blocks();
  #writtenBytes = 0;
  /** How much is being written: a whole block at once, so that its parts are not seen. */
  #blockBytes = 0;
  #dropped = 0;
  #writing: Promise<void> | undefined;
  #broken = false;

  constructor(options: RecordOptions) {
    this.#options = options;
    this.#file = options.open().catch((error: unknown) => this.#fail(error));
  }

  /** A tap for `pump`. */
  tap(mark: Mark): (chunk: Uint8Array | undefined) => void {
    const lines = new Lines(
      (parts, cutBytes) => this.#line(mark, parts, cutBytes),
      this.#options.lineBytesMax ?? 67_108_864,
    );
    return (chunk) => (chunk === undefined ? lines.end() : lines.push(chunk));
  }

  /** Resolves when the file is open, or could not be opened (which `failed` was told). */
  async opened(): Promise<void> {
    await this.#file;
  }

  /**
   * Resolves when all lines so far are in the file and it is closed, or, with false, when the file took nothing for
   * `quietMs`, or so much longer as a slow disk needs for a large line.
   */
  async close(quietMs: number): Promise<boolean> {
    this.#noteDropped();
    const closed = this.#close();
    let seen = this.#writtenBytes;
    const isStuck = (quiet: number) => quiet >= Math.max(1, this.#blockBytes / slowBytes);
    for (let quiet = 0; !isStuck(quiet); quiet = seen === this.#writtenBytes ? quiet + 1 : 0) {
      seen = this.#writtenBytes;
      if (await Promise.race([closed, Bun.sleep(quietMs)])) return true;
    }
    return false;
  }

  async #close(): Promise<true> {
    await this.#writing;
    await (await this.#file)?.close();
    return true;
  }

  #line(mark: Mark, parts: Uint8Array[], cutBytes: number): void {
    if (this.#broken) return;
    if (this.#waiting.bytes + bytesOf(parts) > (this.#options.queueBytesMax ?? 268_435_456)) {
      this.#dropped++;
      return;
    }
    this.#noteDropped();
    const tail = cutBytes === 0 ? "\n" : ` … ${cutBytes} more bytes not kept\n`;
    const head = this.#encoder.encode(`${this.#stamp()} ${mark} `);
    this.#enqueue([head, ...parts, this.#encoder.encode(tail)]);
  }

  #noteDropped(): void {
    if (this.#dropped === 0 || this.#broken) return;
    const text = `${this.#stamp()} -- ${this.#dropped} lines not kept: the file was too slow\n`;
    this.#dropped = 0;
    this.#enqueue([this.#encoder.encode(text)]);
  }

  #stamp(): string {
    return (this.#options.now() / 1000).toFixed(3);
  }

  #enqueue(line: readonly Uint8Array[]): void {
    this.#waiting.add(line);
    this.#writing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    const file = await this.#file;
    if (file === undefined) return;
    for (let block = this.#waiting.take(); block !== undefined; block = this.#waiting.take()) {
      this.#blockBytes = block.length;
      try {
        await file.appendFile(block);
      } catch (error) {
        this.#fail(error);
      }
      this.#writtenBytes += block.length;
    }
    this.#writing = undefined;
  }

  #fail(error: unknown): undefined {
    if (!this.#broken) this.#options.failed(error);
    this.#broken = true;
    this.#waiting.clear();
  }
}
