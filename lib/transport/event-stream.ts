/**
 * Reads the body of a `text/event-stream` response: bytes in, events out, over `eventsource-parser`. It bounds one event,
 * goes on behind one that is too large, and never looks into the data, except to find whose answer a lost event was. A
 * plain iterator, since a generator costs several turns of the microtask queue for each event
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream).
 */
import { createParser } from "eventsource-parser";

import { glimpse, oversize } from "./broken.ts";
import type { Oversize } from "./transport.ts";

/** One event. One that only set the id or the retry time has empty `data`. */
export interface StreamEvent {
  /** Only where this event brought one; empty: forget the last. */
  id?: string;
  /** Absent: `message`. */
  event?: string;
  /** Its lines joined by LF; empty for a priming event, which is no message. */
  data: string;
  /** Milliseconds to wait before the next connection. */
  retry?: number;
}

export interface EventStreamOptions {
  /** Bytes of one event. @default 67108864 (64 MiB) */
  eventBytesMax?: number | undefined;
}

/**
 * The events of one body, in order; an event that the stream ended in is dropped, as the standard wants it. An event
 * beyond the bound is told of as `oversize`, with its JSON-RPC id where that can be made out. Comments give nothing.
 * `next` rejects with what broke the stream; leaving the loop (`break`, `return`) cancels the body.
 */
export class EventStream implements AsyncIterableIterator<StreamEvent | Oversize> {
  readonly #reader;
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    onId: (id) => void (this.#id = id),
    onRetry: (ms) => void (this.#retry = ms),
    onEvent: ({ event, data }) => this.#take(data, event),
  });
  #items: (StreamEvent | Oversize)[] = [];
  #taken = 0;
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
      const item = this.#items[this.#taken];
      if (item !== undefined) {
        this.#taken++;
        return { value: item, done: false };
      }
      this.#items = [];
      this.#taken = 0;
      const { value, done } = await this.#reader.read();
      if (!done) this.#feed(value);
      else if (this.#tail === undefined) return { value: undefined, done: true };
      else this.#endOversize();
    }
  }

  async return(): Promise<IteratorResult<StreamEvent | Oversize, undefined>> {
    this.#items = [];
    await this.#reader.cancel().catch(() => {});
    return { value: undefined, done: true };
  }

  // --- internal ---

  #feed(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#tail !== undefined) text = this.#skip(text);
    if (text === "") return;
    const cut = behindLastBlankLine(text, this.#edge);
    this.#edge = text.slice(-1);
    if (cut > 0) {
      this.#parser.feed(text.slice(0, cut));
      this.#begin();
    }
    const rest = cut > 0 ? text.slice(cut) : text;
    this.#parser.feed(rest);
    if (this.#head.length < edgeMax) this.#head += rest.slice(0, edgeMax - this.#head.length);
    this.#pending += rest.length === text.length ? bytes.length : Buffer.byteLength(rest);
    if (this.#pending > this.#bytesMax) {
      this.#parser.reset();
      this.#tail = rest.slice(-edgeMax);
    }
    this.#flush();
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
    this.#items.push(this.#lost(this.#pending, dataOf(this.#head), tail));
    this.#tail = undefined;
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
      this.#items.push(this.#lost(bytes, data.slice(0, edgeMax), data.slice(-edgeMax)));
      return;
    }
    this.#items.push({ ...this.#fields(), ...(event !== undefined && { event }), data });
  }

  /** An id or a retry time that no event with data came with. */
  #flush(): void {
    if (this.#id === undefined && this.#retry === undefined) return;
    this.#items.push({ ...this.#fields(), data: "" });
  }

  #fields(): Pick<StreamEvent, "id" | "retry"> {
    const fields: Pick<StreamEvent, "id" | "retry"> = {};
    if (this.#id !== undefined) fields.id = this.#id;
    if (this.#retry !== undefined) fields.retry = this.#retry;
    this.#id = undefined;
    this.#retry = undefined;
    return fields;
  }

  #lost(bytes: number, head: string, tail: string): Oversize {
    const { id, call } = glimpse(head, tail);
    return oversize({ bytes, bytesMax: this.#bytesMax, id, call });
  }
}

// --- internal ---

/** How many characters of an event that is too large are kept at each end. */
const edgeMax = 4096;

/** The index behind the last blank line of `text`, 0 where there is none. `edge` is the character before it. */
function behindLastBlankLine(text: string, edge: string): number {
  const index = Math.max(
    text.lastIndexOf("\n\n"),
    text.lastIndexOf("\r\r"),
    text.lastIndexOf("\n\r"),
  );
  return index < 0 ? blankAtStart(text, edge) : index + 2;
}

/** The same for the first; -1 where there is none. A LF that belongs to it may be left behind, which means nothing. */
function behindFirstBlankLine(text: string, edge: string): number {
  const atStart = blankAtStart(text, edge);
  if (atStart > 0) return atStart;
  const index = text.search(/\n\n|\r\r|\n\r/);
  return index < 0 ? -1 : index + 2;
}

/** 1 where the line break at the start of `text` follows another; CR and LF are one. */
function blankAtStart(text: string, edge: string): number {
  const first = text[0];
  if (edge === "\n") return first === "\n" || first === "\r" ? 1 : 0;
  return edge === "\r" && first === "\r" ? 1 : 0;
}

/** The data lines of a piece of an event, as far as they are whole, with the rest of a line that the piece begins in. */
function dataOf(piece: string): string {
  return piece.replace(/(^|[\r\n])(?:data: ?|(?:event|id|retry):[^\r\n]*|:[^\r\n]*)/g, "$1");
}
