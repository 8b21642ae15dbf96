/** The events of a text, over `eventsource-parser`, as items that wait to be taken. One whose data are too large is told of. */
import { createParser } from "eventsource-parser";
import type { EventSourceParser } from "eventsource-parser";

import { edgeMax, lost } from "./event-text.ts";
import type { StreamEvent } from "./event-types.ts";
import type { Oversize } from "./transport.ts";

export class EventItems {
  /** What waits. */
  all: (StreamEvent | Oversize)[] = [];
  readonly #bytesMax: number;
  /** Once there is anything that takes one. */
  #parser: EventSourceParser | undefined;
  #id: string | undefined;
  #retry: number | undefined;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Reads on in the text of the stream. */
  feed(text: string): void {
    this.#parser ??= this.#newParser();
    this.#parser.feed(text);
  }

  /** Throws away what was read of an event that is not over. */
  reset(): void {
    this.#parser?.reset();
  }

  /** An id or a retry time that no event with data came with is told of by itself. */
  flush(): void {
    if (this.#id !== undefined || this.#retry !== undefined) this.#tell("", undefined);
  }

  /** One event. */
  take(data: string, event: string | undefined): void {
    // A character takes at most three bytes of UTF-8, so most need no count.
    const isLarge = data.length * 3 > this.#bytesMax && Buffer.byteLength(data) > this.#bytesMax;
    if (!isLarge) return this.#tell(data, event);
    const bytes = Buffer.byteLength(data);
    this.all.push(lost(bytes, this.#bytesMax, data.slice(0, edgeMax), data.slice(-edgeMax)));
  }

  // --- internal ---

  #newParser(): EventSourceParser {
    return createParser({
      onId: (id) => void (this.#id = id),
      onRetry: (ms) => void (this.#retry = ms),
      onEvent: ({ event, data }) => this.take(data, event),
    });
  }

  #tell(data: string, event: string | undefined): void {
    const item: StreamEvent = { data };
    if (event !== undefined) item.event = event;
    if (this.#id !== undefined) item.id = this.#id;
    if (this.#retry !== undefined) item.retry = this.#retry;
    this.#id = undefined;
    this.#retry = undefined;
    this.all.push(item);
  }
}
