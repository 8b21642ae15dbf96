/**
 * Reads the body of a `text/event-stream` response: bytes in, events out, over `eventsource-parser` where one is not as plain
 * as nearly all are. It bounds one event, goes on behind one that is too large, and never looks into the data, except to find
 * whose answer a lost event was (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
import { createParser } from "eventsource-parser";
import type { EventSourceParser } from "eventsource-parser";

import type { Feed, Take } from "../base/channel.ts";
import type { Deadlines, Due } from "../base/deadlines.ts";
import { EventDecoder } from "./event-decoder.ts";
import {
  behindFirstBlankLine,
  behindLastBlankLine,
  dataOf,
  isWhole,
  lost,
  plainEvent,
} from "./event-text.ts";
import type { EventStreamOptions, StreamEvent } from "./event-types.ts";
import type { Oversize } from "./transport.ts";

/**
 * The events of one body, in order. An event that the stream ended in is dropped, as the standard wants it, unless its data
 * are whole JSON: some servers leave out the last blank line. One beyond the bound is told of as `oversize`, with its JSON-RPC
 * id where that can be made out. Comments give nothing. `next` rejects with what broke the stream; leaving the loop (`break`,
 * `return`) cancels the body.
 */
export class EventStream
  implements AsyncIterableIterator<StreamEvent | Oversize>, Feed<StreamEvent | Oversize>, Due
{
  before: Due | undefined;
  after: Due | undefined;
  /** Since when it lingers. */
  at = 0;
  readonly #reader;
  readonly #bytesMax: number;
  readonly #decoder = new EventDecoder();
  /** Once there is anything that takes one. */
  #parser: EventSourceParser | undefined;
  #items: (StreamEvent | Oversize)[] = [];
  #id: string | undefined;
  #retry: number | undefined;
  /** Bytes since the last blank line. */
  #pending = 0;
  /** The beginning of the event that is being read. */
  #head = "";
  /** The end so far of an event that is thrown away; undefined: none is. */
  #tail: string | undefined;
  /** The last character of the chunk before. */
  #edge = "";

  constructor(body: ReadableStream<Uint8Array>, options: EventStreamOptions = {}) {
    this.#reader = body.getReader();
    this.#bytesMax = options.eventBytesMax ?? 64 * 1024 * 1024;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<StreamEvent | Oversize, undefined>> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) return { value: item, done: false };
      if (!this.#read(await this.#reader.read())) return { value: undefined, done: true };
    }
  }

  async each(take: Take<StreamEvent | Oversize>): Promise<void> {
    try {
      do {
        const items = this.#items;
        this.#items = [];
        for (const item of items) {
          const pause = take(item);
          if (pause !== undefined) await pause;
        }
      } while (this.#read(await this.#reader.read()));
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
    this.#items = [];
    await this.#reader.cancel().catch(() => {});
    return { value: undefined, done: true };
  }

  // --- internal ---

  /** False once there is no more. */
  #read({ value }: { value?: Uint8Array | undefined }): boolean {
    if (value !== undefined) this.#feed(value);
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
      return this.#take(plain.data, plain.event);
    }
    if (this.#tail !== undefined) text = this.#skip(text);
    if (text === "") return;
    const parser = (this.#parser ??= this.#newParser());
    const cut = behindLastBlankLine(text, this.#edge);
    this.#edge = text.slice(-1);
    if (cut > 0) {
      parser.feed(text.slice(0, cut));
      this.#begin();
    }
    const rest = cut > 0 ? text.slice(cut) : text;
    parser.feed(rest);
    if (this.#head.length < edgeMax) this.#head += rest.slice(0, edgeMax - this.#head.length);
    this.#pending += rest.length === text.length ? bytes.length : Buffer.byteLength(rest);
    if (this.#pending > this.#bytesMax) {
      parser.reset();
      this.#tail = rest.slice(-edgeMax);
    }
    // An id or a retry time that no event with data came with.
    if (this.#id !== undefined || this.#retry !== undefined) this.#tell("", undefined);
  }

  #newParser(): EventSourceParser {
    return createParser({
      onId: (id) => void (this.#id = id),
      onRetry: (ms) => void (this.#retry = ms),
      onEvent: ({ event, data }) => this.#take(data, event),
    });
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
    this.#items.push(lost(this.#pending, this.#bytesMax, dataOf(this.#head), tail));
    this.#tail = undefined;
    this.#begin();
  }

  /** Nothing waits to be taken here. */
  #endRest(): void {
    this.#parser?.feed("\n\n");
    this.#items = this.#items.filter((item) => "oversize" in item || isWhole(item.data));
    this.#begin();
  }

  #begin(): void {
    this.#pending = 0;
    this.#head = "";
  }

  #take(data: string, event: string | undefined): void {
    // A character takes at most three bytes of UTF-8, so most need no count.
    const isLarge = data.length * 3 > this.#bytesMax && Buffer.byteLength(data) > this.#bytesMax;
    if (isLarge) {
      const bytes = Buffer.byteLength(data);
      this.#items.push(lost(bytes, this.#bytesMax, data.slice(0, edgeMax), data.slice(-edgeMax)));
      return;
    }
    this.#tell(data, event);
  }

  #tell(data: string, event: string | undefined): void {
    const item: StreamEvent = { data };
    if (event !== undefined) item.event = event;
    if (this.#id !== undefined) item.id = this.#id;
    if (this.#retry !== undefined) item.retry = this.#retry;
    this.#id = undefined;
    this.#retry = undefined;
    this.#items.push(item);
  }
}

// --- internal ---

/** How many characters of an event that is too large are kept at each end. */
const edgeMax = 4096;
