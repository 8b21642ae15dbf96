/**
 * Reads the body of a `text/event-stream` response: bytes in, events out, over `eventsource-parser` where one is not as plain
 * as nearly all are. It bounds one event, goes on behind one that is too large, and never looks into the data, except to find
 * whose answer a lost event was (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
import type { Feed, Take } from "../base/channel.ts";
import type { Deadlines, Due } from "../base/deadlines.ts";
import { Turns } from "../base/turns.ts";
import { EventChunks } from "./event-chunks.ts";
import type { Chunk } from "./event-chunks.ts";
import { EventDecoder } from "./event-decoder.ts";
import { EventItems } from "./event-items.ts";
import {
  behindFirstBlankLine,
  behindLastBlankLine,
  dataOf,
  edgeMax,
  isWhole,
  lost,
  mayEnd,
  plainEvent,
} from "./event-text.ts";
import type { EventStreamOptions, StreamEvent } from "./event-types.ts";
import type { Oversize } from "./transport.ts";

/**
 * The events of one body, in order. An event that the stream ended in is dropped, as the standard wants it, unless its data are
 * whole JSON: some leave out the last blank line, or all of them on a stream that stays open. One beyond the bound is told of as
 * `oversize`, with its id where that can be made out. `next` rejects with what broke the stream; leaving the loop cancels the body.
 */
export class EventStream
  implements AsyncIterableIterator<StreamEvent | Oversize>, Feed<StreamEvent | Oversize>, Due
{
  before: Due | undefined;
  after: Due | undefined;
  /** Since when it lingers. */
  at = 0;
  readonly #chunks: EventChunks;
  readonly #bytesMax: number;
  readonly #decoder = new EventDecoder();
  readonly #items: EventItems;
  /** Bytes since the last blank line. */
  #pending = 0;
  /** The beginning of the event that is being read. */
  #head = "";
  /** That is all of it, and may be a whole one. */
  #mayBeWhole = false;
  /** The end so far of an event that is thrown away; undefined: none is. */
  #tail: string | undefined;
  /** The last character of the chunk before. */
  #edge = "";

  constructor(body: ReadableStream<Uint8Array>, options: EventStreamOptions = {}) {
    this.#chunks = new EventChunks(body);
    this.#bytesMax = options.eventBytesMax ?? 64 * 1024 * 1024;
    this.#items = new EventItems(this.#bytesMax);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent | Oversize, undefined>> {
    for (;;) {
      const item = this.#items.all.shift();
      if (item !== undefined) return { value: item, done: false };
      if (!this.#read(await this.#chunks.next(this.#mayBeWhole)))
        return { value: undefined, done: true };
    }
  }

  async each(take: Take<StreamEvent | Oversize>): Promise<void> {
    try {
      const turns = new Turns();
      do {
        const items = this.#items.all;
        this.#items.all = [];
        for (const item of items) {
          const pause = take(item);
          if (pause !== undefined) await pause;
        }
        const turn = turns.next(items.length * itemBytes);
        if (turn !== undefined) await turn;
      } while (this.#read(await this.#chunks.next(this.#mayBeWhole)));
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  /** It ends when that is over, unless its server ends it before. */
  linger(deadlines: Deadlines): void {
    if (this.at > 0) return;
    this.at = performance.now();
    deadlines.add(this);
  }

  expire(): void {
    void this.return();
  }

  async return(): Promise<IteratorResult<StreamEvent | Oversize, undefined>> {
    this.#items.all = [];
    await this.#chunks.cancel();
    return { value: undefined, done: true };
  }

  // --- internal ---

  /** False once there is no more. */
  #read(chunk: Chunk | undefined): boolean {
    this.#mayBeWhole = false;
    if (chunk === undefined) this.#takeEarly();
    else if (chunk.value !== undefined) this.#feed(chunk.value);
    else if (this.#tail !== undefined) this.#endOversize();
    else if (this.#pending > 0) this.#endRest();
    else return false;
    return true;
  }

  #feed(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes);
    const isBegun = this.#pending > 0 || this.#tail !== undefined;
    const plain = isBegun ? undefined : plainEvent(text);
    if (plain !== undefined) {
      this.#edge = "\n";
      return this.#items.take(plain.data, plain.event);
    }
    if (this.#tail !== undefined) text = this.#skip(text);
    if (text === "") return;
    const cut = behindLastBlankLine(text, this.#edge);
    this.#edge = text.slice(-1);
    if (cut > 0) {
      this.#items.feed(text.slice(0, cut));
      this.#begin();
    }
    const rest = cut > 0 ? text.slice(cut) : text;
    this.#items.feed(rest);
    if (this.#head.length < headMax) this.#head += rest.slice(0, headMax - this.#head.length);
    this.#mayBeWhole = this.#head.length < headMax && mayEnd(rest);
    this.#pending += rest.length === text.length ? bytes.length : Buffer.byteLength(rest);
    if (this.#pending > this.#bytesMax) {
      this.#items.reset();
      this.#tail = rest.slice(-edgeMax);
      this.#mayBeWhole = false;
    }
    this.#items.flush();
  }

  /** Throws away what belongs to an event that is too large; what is behind it is returned. */
  #skip(text: string): string {
    const end = behindFirstBlankLine(text, this.#edge);
    const skipped = end < 0 ? text : text.slice(0, end);
    this.#edge = skipped.slice(-1) || this.#edge;
    this.#pending += Buffer.byteLength(skipped);
    this.#tail = (this.#tail + skipped).slice(-edgeMax);
    if (end < 0) return "";
    this.#endOversize();
    return text.slice(end);
  }

  #endOversize(): void {
    const tail = dataOf(this.#tail ?? "");
    const head = dataOf(this.#head.slice(0, edgeMax));
    this.#items.all.push(lost(this.#pending, this.#bytesMax, head, tail));
    this.#tail = undefined;
    this.#begin();
  }

  /** What was begun is an event, if its data are whole. */
  #takeEarly(): void {
    if (!isWhole(dataOf(this.#head))) return;
    this.#chunks.missed();
    this.#items.feed("\n\n");
    this.#edge = "\n";
    this.#begin();
  }

  /** Nothing waits to be taken here. */
  #endRest(): void {
    this.#items.feed("\n\n");
    const items = this.#items;
    items.all = items.all.filter((item) => "oversize" in item || isWhole(item.data));
    this.#begin();
  }

  #begin(): void {
    this.#pending = 0;
    this.#head = "";
  }
}

// --- internal ---

/** What an event costs whoever takes it, as if it were so many bytes that are read. */
const itemBytes = 4096;

/** How large one without its blank line may be on a stream that stays open. */
const headMax = 1_048_576;
