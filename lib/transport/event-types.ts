/** What comes out of an event stream. Types only. */

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
