/**
 * Bytes into lines. Splits at LF only, looks at each byte once, keeps fragments and joins them when their line ends.
 * It decodes no part of a line (a multi-byte character may be cut between chunks), and never keeps more than a line's bound.
 */
import { concat, firstBytes, lastBytes } from "./bytes.ts";

export interface LineOptions {
  /** Bytes of one line, without its LF. @default 67108864 (64 MiB) */
  lineBytesMax?: number;
}

/** A line beyond the bound: its bytes were counted and thrown away, except the first and last ones. */
export interface OversizeLine {
  oversize: { bytes: number; head: Uint8Array; tail: Uint8Array };
}

export type Line = Uint8Array | OversizeLine;

/** How many bytes of an oversize line are kept at each end. */
const edgeBytes = 4096;
/** Fragments smaller than this are gathered, so that a line written byte by byte does not cost an object a byte. */
const smallBytes = 1024;
const packBytes = 65536;
const LF = 10;
const CR = 13;
const brace = 125;
const empty = new Uint8Array(0);
const textOf = Buffer.prototype.toString;

/**
 * Give it a chunk with `push`, then take lines with `next` until it says undefined; `end` gives the last line when it
 * has no LF. Lines come without LF, without one CR before it, the first without a byte order mark. Empty lines are lines.
 */
export class LineSplitter {
  readonly #lineBytesMax: number;
  #chunk: Uint8Array = empty;
  #at = 0;
  /** Bytes still to come of a frame announced by `expectBytes`; -1: a line is read. */
  #frame = -1;
  #fragments: Uint8Array[] = [];
  /** A block that is the last fragment's, with room behind it. */
  #pack: Uint8Array | undefined;
  /** Bytes of the unfinished line, kept or not. */
  #pending = 0;
  #oversize: { head: Uint8Array; tail: Uint8Array } | undefined;
  #first = true;

  constructor(options: LineOptions = {}) {
    this.#lineBytesMax = options.lineBytesMax ?? 64 * 1024 * 1024;
  }

  /** Takes the next chunk; the lines of the one before must have been taken. The chunk must not change afterwards. */
  push(chunk: Uint8Array): void {
    this.#chunk =
      this.#at < this.#chunk.length ? concat([this.#chunk.subarray(this.#at), chunk]) : chunk;
    this.#at = 0;
  }

  /** The next whole line, or undefined when the chunk is used up. */
  next(): Line | undefined {
    if (this.#frame >= 0) return this.#nextFrame();
    const from = this.#at;
    const lf = this.#findEnd();
    return lf < 0 ? undefined : this.#lineAt(from, lf);
  }

  /** The same, but a line that lies whole in its chunk, as nearly all do, comes as text: that is half the work. */
  nextText(): string | Line | undefined {
    if (this.#frame >= 0) return this.#nextFrame();
    const from = this.#at;
    const lf = this.#findEnd();
    if (lf < 0) return undefined;
    if (this.#first || !this.#isWhole(from, lf)) return this.#lineAt(from, lf);
    return textOf.call(this.#chunk as Buffer, "utf8", from, lf);
  }

  /** The next `bytes` bytes are one line, whatever they hold (a Content-Length frame). Call it between two lines. */
  expectBytes(bytes: number): void {
    this.#frame = bytes;
  }

  /** The unfinished line ends with a brace, or with what some write in place of an LF behind one (CR, NUL). */
  get endsAsObject(): boolean {
    const last = this.#frame >= 0 ? undefined : this.#fragments.at(-1)?.at(-1);
    return last === brace || last === CR || last === 0;
  }

  /** What has come of the unfinished line. It stays, until `drop`. */
  peek(): Uint8Array {
    return concat(this.#fragments);
  }

  /** Forgets the unfinished line. */
  drop(): void {
    this.#take(false);
  }

  /** At the end of the input: what came after the last LF (or of an unfinished frame), if anything. */
  end(): Line | undefined {
    this.#frame = -1;
    return this.#pending === 0 ? undefined : this.#take(true);
  }

  /** Goes behind the end of the next line; below 0 where there is none yet, and then what there is is kept. */
  #findEnd(): number {
    const chunk = this.#chunk;
    const at = this.#at;
    if (at >= chunk.length) return -1;
    const lf = chunk.indexOf(LF, at);
    if (lf < 0) this.#keep(chunk.subarray(at));
    this.#at = lf < 0 ? chunk.length : lf + 1;
    return lf;
  }

  #isWhole(from: number, to: number): boolean {
    return this.#pending === 0 && to - from <= this.#lineBytesMax;
  }

  #lineAt(from: number, to: number): Line {
    const part = this.#chunk.subarray(from, to);
    if (this.#isWhole(from, to)) return this.#trim(part);
    this.#keep(part);
    return this.#take(true);
  }

  #nextFrame(): Line | undefined {
    const part = this.#chunk.subarray(this.#at, this.#at + this.#frame);
    this.#at += part.length;
    this.#frame -= part.length;
    if (part.length > 0) this.#keep(part);
    if (this.#frame > 0) return undefined;
    this.#frame = -1;
    return this.#take(false);
  }

  /** Adds bytes to the unfinished line. */
  #keep(part: Uint8Array): void {
    this.#pending += part.length;
    if (this.#oversize !== undefined) {
      const { head, tail } = this.#oversize;
      if (head.length < edgeBytes) this.#oversize.head = firstBytes([head, part], edgeBytes);
      this.#oversize.tail = lastBytes([tail, part], edgeBytes);
    } else if (this.#pending > this.#lineBytesMax) {
      const all = [...this.#fragments, part];
      this.#oversize = { head: firstBytes(all, edgeBytes), tail: lastBytes(all, edgeBytes) };
      this.#fragments = [];
      this.#pack = undefined;
    } else if (part.length < smallBytes) {
      this.#gather(part);
    } else {
      this.#pack = undefined;
      this.#fragments.push(part);
    }
  }

  /** Appends a small part to the last fragment where there is room behind it. */
  #gather(part: Uint8Array): void {
    const last = this.#fragments.at(-1);
    const used = last?.length ?? 0;
    if (this.#pack !== undefined && used + part.length <= this.#pack.length) {
      this.#pack.set(part, used);
      this.#fragments[this.#fragments.length - 1] = this.#pack.subarray(0, used + part.length);
      return;
    }
    this.#pack = new Uint8Array(this.#fragments.length === 0 ? smallBytes * 4 : packBytes);
    this.#pack.set(part);
    this.#fragments.push(this.#pack.subarray(0, part.length));
  }

  /** Gives the unfinished line away and begins the next. */
  #take(trim: boolean): Line {
    const bytes = this.#pending;
    const oversize = this.#oversize;
    const fragments = this.#fragments;
    this.#pending = 0;
    this.#oversize = undefined;
    this.#fragments = [];
    this.#pack = undefined;
    if (oversize !== undefined) {
      this.#first = false;
      return { oversize: { bytes, ...oversize } };
    }
    const line = fragments.length === 1 ? (fragments[0] ?? empty) : concat(fragments);
    return trim ? this.#trim(line) : line;
  }

  #trim(line: Uint8Array): Uint8Array {
    const end = line[line.length - 1] === CR ? line.length - 1 : line.length;
    const start = this.#first && line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? 3 : 0;
    this.#first = false;
    return start === 0 && end === line.length ? line : line.subarray(start, end);
  }
}
