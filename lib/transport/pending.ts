/**
 * The requests that wait for an answer: one timer each, renewed by progress up to a hard cap. It sends and reads nothing;
 * whoever holds it says what happened and is told what ran out. On the path of every message: few objects, no closures.
 */
import type { Answer, PeerRequestOptions } from "./peer-types.ts";

/** One request that waits. Times are on the clock of `performance.now()`. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  readonly options: PeerRequestOptions;
  /** Whether the request carried its progress token. */
  readonly hasToken: boolean;
  readonly capAt: number;
  /** When it runs out unless something is heard of it. */
  idleAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The last progress value. */
  progress: number;
  /** Whether it was handed to the link whole. */
  sent: "sending" | "sent" | "unsent";
  /** Settles once `sent` is known; never rejects. */
  sending: Promise<void> | undefined;
  /** An id that nothing was sent under and that was answered while this request alone was waiting. */
  stray: string | undefined;
  /** Stops listening to the caller's signal. */
  detach: (() => void) | undefined;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** The hard cap of a request in milliseconds, counted from its start. */
export function capOf({ timeoutMs, timeoutMaxMs }: PeerRequestOptions): number {
  return timeoutMaxMs ?? timeoutMs * 10;
}

export class PendingTable {
  readonly #entries = new Map<number, Pending>();
  readonly #onExpired: (entry: Pending, capped: boolean) => void;
  readonly #ring: (entry: Pending) => void;

  /** `onExpired` gets each request that ran out, taken out already; `capped`: by its hard cap. */
  constructor(onExpired: (entry: Pending, capped: boolean) => void) {
    this.#onExpired = onExpired;
    this.#ring = (entry) => this.#look(entry);
  }

  /** Starts the clock of a request. */
  add(entry: Pending, now: number): void {
    this.#entries.set(entry.id, entry);
    this.#arm(entry, now);
  }

  /** Takes a request out and stops its clock. Undefined if it does not wait (any more). */
  take(id: number): Pending | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    clearTimeout(entry.timer);
    return entry;
  }

  /** The only one that waits; undefined if there are none or several. */
  only(): Pending | undefined {
    return this.#entries.size === 1 ? this.#entries.values().next().value : undefined;
  }

  /**
   * Renews the idle time and gives the request back, or the reason why its progress is not worth showing. A value
   * smaller than the one before still is a sign of life. It only moves `idleAt`: the timer looks again when it rings.
   */
  renew(id: number, progress: number): Pending | string {
    const entry = this.#entries.get(id);
    if (entry === undefined) return `no request waits for token ${id}`;
    if (!entry.hasToken) return `request ${id} has no token`;
    entry.idleAt = performance.now() + entry.options.timeoutMs;
    if (progress < entry.progress) return "it went down";
    entry.progress = progress;
    return entry;
  }

  /** Leaves a request at most `ms` more. */
  hurry(entry: Pending, ms: number): void {
    const now = performance.now();
    entry.idleAt = Math.min(entry.idleAt, now + ms);
    clearTimeout(entry.timer);
    this.#arm(entry, now);
  }

  /** Takes out all, oldest first. */
  clear(): Pending[] {
    return [...this.#entries.keys()].flatMap((id) => this.take(id) ?? []);
  }

  #arm(entry: Pending, now: number): void {
    const ms = Math.min(entry.idleAt, entry.capAt) - now;
    entry.timer = setTimeout(this.#ring, Math.min(Math.max(ms, 0), timerMsMax), entry);
  }

  #look(entry: Pending): void {
    const now = performance.now();
    if (now < entry.idleAt && now < entry.capAt) return this.#arm(entry, now);
    this.#entries.delete(entry.id);
    this.#onExpired(entry, now >= entry.capAt);
  }
}

// --- internal ---

/** Longer timers fire at once (the delay is a signed 32-bit number). */
const timerMsMax = 2 ** 31 - 1;
