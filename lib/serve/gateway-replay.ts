/**
 * Streams of answers that a client may take up again: what was sent on them is kept with its ids, within bounds; a client that
 * lost one asks for what came after the last id that it has (protocol.md 1.6, 2.4). An answer that was sent may not have arrived,
 * so that the last few of those are kept, too. Only for revisions whose streams begin with an id.
 */
import type { EventStream } from "./stream.ts";

interface Kept {
  id: string;
  data: string;
}

/** What all clients may leave untaken, together. */
export class ReplayRoom {
  readonly #charsMax: number;
  /** The oldest first, with what each keeps. */
  readonly #sizes = new Map<ReplayStream, number>();
  #chars = 0;

  /** @param charsMax characters. @default 67108864 */
  constructor(charsMax = 67_108_864) {
    this.#charsMax = charsMax;
  }

  /** A stream keeps so much now; where that is too much of all, others are forgotten, and first those that were sent. */
  hold(stream: ReplayStream, chars: number): void {
    this.#chars += chars - (this.#sizes.get(stream) ?? 0);
    this.#sizes.set(stream, chars);
    this.#forget(this.#charsMax / 8, ({ isSent }) => isSent);
    this.#forget(this.#charsMax, (oldest) => oldest !== stream);
  }

  leave(stream: ReplayStream): void {
    this.#chars -= this.#sizes.get(stream) ?? 0;
    this.#sizes.delete(stream);
  }

  // --- internal ---

  #forget(charsMax: number, which: (stream: ReplayStream) => boolean): void {
    if (this.#chars <= charsMax) return;
    for (const oldest of this.#sizes.keys())
      if (this.#chars > charsMax && which(oldest)) oldest.forget();
  }
}

/** One stream, whatever connection it is on. */
export class ReplayStream {
  readonly id: string;
  /** Nobody takes it up again. */
  readonly forget: () => void;
  /** Its answer was sent on a connection. */
  isSent = false;
  readonly #room: ReplayRoom;
  readonly #onSent: (stream: ReplayStream) => void;
  #kept: Kept[] = [];
  #size = 0;
  #count = 0;
  #stream: EventStream | undefined;
  #isOver = false;
  #isForgotten = false;

  /**
   * @param forget lets go of it
   * @param onSent its answer was sent, once more too
   */
  constructor(
    id: string,
    room: ReplayRoom,
    forget: () => void,
    onSent: (stream: ReplayStream) => void,
  ) {
    this.id = id;
    this.#room = room;
    this.#onSent = onSent;
    this.forget = () => {
      this.#isForgotten = true;
      this.#kept = [];
      this.#size = 0;
      room.leave(this);
      forget();
    };
  }

  /** Goes on on a connection, after the event of this number. @default from its beginning, which has an id and no data */
  attach(stream: EventStream, after?: number): void {
    this.#stream?.end();
    this.#stream = stream;
    if (after === undefined) stream.send({ id: `${this.id}-0`, data: "" });
    for (const { id, data } of this.#kept)
      if (numberOf(id) > (after ?? 0)) stream.send({ event: "message", id, data });
    // Headers leave with the first bytes.
    stream.comment("open");
    if (this.#isOver) this.#close();
  }

  send(data: string): void {
    const event = { id: `${this.id}-${++this.#count}`, data };
    if (!this.#isForgotten) this.#keep(event);
    if (this.#stream !== undefined && !this.#stream.closed)
      this.#stream.send({ event: "message", ...event });
  }

  /** Its answer was sent. */
  end(): void {
    this.#isOver = true;
    if (this.#stream !== undefined && !this.#stream.closed) this.#close();
  }

  // --- internal ---

  #keep(event: Kept): void {
    this.#kept.push(event);
    this.#size += event.data.length;
    while (this.#kept.length > eventsMax || (this.#size > charsMax && this.#kept.length > 1))
      this.#size -= this.#kept.shift()?.data.length ?? 0;
    this.#room.hold(this, this.#size);
  }

  #close(): void {
    this.#stream?.end();
    if (this.#isForgotten) return;
    this.isSent = true;
    this.#onSent(this);
    this.#room.hold(this, this.#size);
  }
}

/** The streams of one session. */
export class Replays {
  readonly #room: ReplayRoom;
  readonly #streams = new Map<string, ReplayStream>();
  /** Those whose answer was sent, the last at the end. */
  readonly #sent = new Set<ReplayStream>();
  #count = 0;

  constructor(room: ReplayRoom) {
    this.#room = room;
  }

  begin(): ReplayStream {
    const id = String(++this.#count);
    // The oldest has had its time.
    if (this.#streams.size >= streamsMax)
      for (const oldest of [...this.#sent, ...this.#streams.values()].slice(0, 1)) oldest.forget();
    const forget = () => {
      this.#streams.delete(id);
      this.#sent.delete(stream);
    };
    const stream = new ReplayStream(id, this.#room, forget, (sent) => this.#wasSent(sent));
    this.#streams.set(id, stream);
    return stream;
  }

  /** The stream that an event was on, and the event's number; undefined where it is not kept. */
  find(lastEventId: string): { stream: ReplayStream; after: number } | undefined {
    const [, id = "", number] = /^(\d{1,15})-(\d{1,15})$/.exec(lastEventId) ?? [];
    const stream = this.#streams.get(id);
    return stream && { stream, after: Number(number) };
  }

  /** The session is over. */
  end(): void {
    for (const stream of this.#streams.values()) stream.forget();
  }

  // --- internal ---

  #wasSent(stream: ReplayStream): void {
    this.#sent.delete(stream);
    this.#sent.add(stream);
    for (const oldest of this.#sent) if (this.#sent.size > sentMax) oldest.forget();
  }
}

// --- internal ---

/** Of one stream. */
const eventsMax = 1000;
const charsMax = 4_194_304;
/** Of one session. */
const streamsMax = 64;
/** Those of them whose answer was sent. */
const sentMax = 16;

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf("-") + 1));
}
