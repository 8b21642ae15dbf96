/**
 * What a child writes on stderr: always taken, each line given to the log, the last ones kept for error messages. It
 * never judges a line, never decodes strictly, and never holds more than its bounds.
 */
import type { Log } from "../base/log.ts";

export interface StderrTailOptions {
  /** The server's configured name. */
  name: string;
  log: Log;
  /** How much is kept. @default 65536 */
  tailBytes?: number | undefined;
}

export class StderrTail {
  readonly #name: string;
  readonly #log: Log;
  readonly #tailBytes: number;
  /** A line without end is cut here, in UTF-16 units (of at most 3 bytes): the tail always has room for one. */
  readonly #lineMax: number;
  readonly #decoder = new TextDecoder();
  #lines: string[] = [];
  /** Bytes of `#lines`, counting a line break each. */
  #bytes = 0;
  #unfinished = "";

  constructor({ name, log, tailBytes = 65_536 }: StderrTailOptions) {
    this.#name = name;
    this.#log = log;
    this.#tailBytes = tailBytes;
    this.#lineMax = Math.min(8192, Math.max(16, Math.floor(tailBytes / 4)));
  }

  push(chunk: Uint8Array): void {
    const lines = (this.#unfinished + this.#decoder.decode(chunk, { stream: true })).split("\n");
    const last = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
    this.#unfinished = this.#cut(last);
  }

  /** The pipe is at its end: a last line without a line break is a line. */
  end(): void {
    const last = this.#unfinished + this.#decoder.decode();
    this.#unfinished = "";
    if (last !== "") this.#line(last);
  }

  /** The last lines, oldest first, and the unfinished one. */
  lines(): string[] {
    this.#trim(this.#tailBytes);
    return this.#unfinished === "" ? [...this.#lines] : [...this.#lines, this.#unfinished];
  }

  #line(line: string): void {
    this.#keep(this.#cut(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  /** Keeps all of an overlong line but its last part, which is returned. */
  #cut(line: string): string {
    const max = this.#lineMax;
    let rest = line;
    while (rest.length > max) {
      const at = isHighSurrogate(rest.charCodeAt(max - 1)) ? max - 1 : max;
      this.#keep(rest.slice(0, at));
      rest = rest.slice(at);
    }
    return rest;
  }

  #keep(text: string): void {
    this.#lines.push(text);
    this.#bytes += Buffer.byteLength(text) + 1;
    // Thrown away in batches: dropping one line a line would move all the others each time.
    if (this.#bytes > 2 * this.#tailBytes) this.#trim(this.#tailBytes);
    this.#log({ level: "debug", text, server: this.#name, source: "stderr" });
  }

  #trim(bytesMax: number): void {
    let drop = 0;
    while (this.#bytes > bytesMax && drop < this.#lines.length) {
      this.#bytes -= Buffer.byteLength(this.#lines[drop] ?? "") + 1;
      drop += 1;
    }
    if (drop > 0) this.#lines = this.#lines.slice(drop);
  }
}

// --- internal ---

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
