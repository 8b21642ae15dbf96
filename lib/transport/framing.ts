/**
 * Bytes of a server's stdout in, messages out. All else is noise: told, counted, never fatal. Tolerates CRLF, a BOM, blank
 * lines, batches, colours, JSON over several lines, and bodies behind Content-Length headers (protocol.md 1.8). Pure.
 */
import { LineSplitter } from "../base/lines.ts";
import type { Line } from "../base/lines.ts";
import { compact } from "../base/slice.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { isPlainAnswer, readMessage } from "../protocol/read.ts";
import { answerBehind, brokenMessage, tooLong } from "./broken.ts";
import type { Framed } from "./framed.ts";
import { add, begin, beginsAnew, isCut } from "./reassembly.ts";
import type { Pieces } from "./reassembly.ts";
import { batchOf, partsOf, wholeMessages } from "./several.ts";
import { contentLengthOf, isHeader, noiseOf, notJson, parse, withoutEscapes } from "./text.ts";

export interface FramingOptions {
  /** The longest line; a value over several lines is no longer than that, nor than 4 MiB or 100,000 lines. */
  lineBytesMax: number;
}

/** Feed it chunks as they come; how they are cut makes no difference. */
export class Framing {
  readonly #lineBytesMax: number;
  readonly #splitter: LineSplitter;
  readonly #decoder = new TextDecoder();
  #out: Framed[] = [];
  #pieces: Pieces | undefined;
  /** The value of a Content-Length header whose blank line has not come. */
  #bodyBytes: number | undefined;
  /** A message came without headers: whatever looks like one from now on is a log line. */
  #plain = false;
  /** A body was taken by its length. */
  #framed = false;
  #isEnding = false;
  #wasLookedAt = false;

  constructor({ lineBytesMax }: FramingOptions) {
    this.#lineBytesMax = lineBytesMax;
    this.#splitter = new LineSplitter({ lineBytesMax });
  }

  /** What these bytes complete, in order. */
  feed(chunk: Uint8Array): Framed[] {
    this.#wasLookedAt = false;
    this.#splitter.push(chunk);
    const lines = this.#splitter;
    for (let line = lines.nextText(); line !== undefined; line = lines.nextText()) {
      if (typeof line === "string") this.#text(line);
      else this.#line(line);
    }
    return this.#take();
  }

  /** What a last line without an end holds; everything unfinished is noise. */
  end(): Framed[] {
    this.#isEnding = true;
    const last = this.#splitter.end();
    if (last !== undefined) this.#line(last);
    this.#dropPieces("unfinished JSON");
    return this.#take();
  }

  /**
   * What has come of a line ends as a message does, and was not looked at since: perhaps its newline was forgotten, and
   * `early` takes it.
   */
  get mayBeWhole(): boolean {
    return !this.#wasLookedAt && this.#pieces === undefined && this.#splitter.endsAsObject;
  }

  /** The messages that a line without an end holds, where it holds nothing else. */
  early(): Framed[] {
    this.#wasLookedAt = true;
    const parts = wholeMessages(this.#decoder.decode(this.#splitter.peek()));
    if (parts.length > 0) this.#splitter.drop();
    for (const part of parts) this.#text(part);
    return this.#take();
  }

  /** Lines held back because they may be the beginning of a message. */
  get heldLines(): number {
    return this.#pieces?.lines.length ?? 0;
  }

  #take(): Framed[] {
    const out = this.#out;
    if (out.length > 0) this.#out = [];
    return out;
  }

  #line(line: Line): void {
    if ("oversize" in line) this.#out.push(tooLong(line, this.#lineBytesMax));
    else this.#text(this.#decoder.decode(line));
  }

  #text(written: string): void {
    const raw = withoutEscapes(written);
    const text = this.#framed ? compact(raw.trim()) : raw.trim();
    if (text === "") return this.#blank();
    if (this.#bodyBytes !== undefined && !isHeader(text)) this.#bodyBytes = undefined;
    const value = parse(text);
    if (value !== undefined && this.#value(value, text)) return;
    if (this.#pieces !== undefined && this.#goesOn(this.#pieces, raw)) return;
    const parts = value === undefined ? partsOf(text) : [];
    for (const part of parts) this.#text(part);
    if (parts.length === 0) this.#alone(raw, value);
  }

  /** Takes the messages of a value; false if there is none in it. */
  #value(value: unknown, text: string): boolean {
    if (isPlainAnswer(value)) {
      this.#message(value, text);
      return true;
    }
    if (Array.isArray(value)) return this.#batch(value, text);
    const { message, odd } = readMessage(value);
    if (message === undefined) return false;
    this.#message(message, text, odd);
    return true;
  }

  #batch(values: unknown[], text: string): boolean {
    const all = batchOf(values, text);
    for (const framed of all ?? [])
      if ("message" in framed) this.#message(framed.message, framed.text, framed.odd);
      else this.#out.push(framed);
    return all !== undefined;
  }

  #message(message: Message, text: string, odd?: string): void {
    if (!this.#framed) this.#plain = true;
    if (this.#pieces !== undefined && isCut(this.#pieces)) this.#dropPieces("unfinished JSON");
    this.#out.push(odd === undefined ? { message, text } : { message, text, odd });
  }

  /** Adds a line to a value over several lines; false if the line is none of it. */
  #goesOn(pieces: Pieces, raw: string): boolean {
    if (beginsAnew(raw)) {
      this.#dropPieces("unfinished JSON");
      return false;
    }
    const added = add(pieces, raw);
    if (added.kind === "foreign") return false;
    if (added.kind === "open" && pieces.length <= this.#lineBytesMax) return true;
    if (added.kind !== "closed") {
      this.#dropPieces("JSON without an end");
      return true;
    }
    const value = parse(added.text);
    const taken = value === undefined ? this.#broken(added.text) : this.#value(value, added.text);
    if (!taken) this.#dropPieces("not a JSON-RPC message");
    this.#pieces = undefined;
    return true;
  }

  /** A line that is no message by itself. `value`: what it holds, if it is JSON. */
  #alone(raw: string, value: unknown): void {
    const text = raw.trim();
    const bytes = contentLengthOf(text);
    if (bytes !== undefined) {
      this.#bodyBytes = bytes;
      return void this.#out.push(noiseOf(text, "a Content-Length header", { contentLength: true }));
    }
    if (value !== undefined) return void this.#out.push(noiseOf(text, "not a JSON-RPC message"));
    const begun = this.#pieces === undefined ? begin(text) : undefined;
    if (begun !== undefined) this.#pieces = begun;
    else if (!this.#broken(text)) {
      this.#out.push(notJson(text));
      this.#out.push(...answerBehind(text));
    }
  }

  /**
   * Takes a text that was meant as a message but is no JSON; false if it was not. What was cut because the process ended
   * is told by that end.
   */
  #broken(text: string): boolean {
    const broken = this.#isEnding ? undefined : brokenMessage(text, this.#lineBytesMax);
    if (broken !== undefined) this.#out.push(broken);
    return broken !== undefined;
  }

  /** A blank line means something only behind a Content-Length header: the body follows, perhaps without a newline. */
  #blank(): void {
    const bytes = this.#bodyBytes;
    this.#bodyBytes = undefined;
    if (bytes === undefined || bytes > this.#lineBytesMax || this.#plain) return;
    this.#splitter.expectBytes(bytes);
    this.#framed = true;
  }

  #dropPieces(reason: string): void {
    if (this.#pieces === undefined) return;
    const { lines } = this.#pieces;
    this.#pieces = undefined;
    if (this.#broken(lines.join(" "))) return;
    this.#out.push(noiseOf(lines[0] ?? "", reason, { lines: lines.length }));
  }
}
