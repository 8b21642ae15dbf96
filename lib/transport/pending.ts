/**
 * The requests that wait for an answer: one timer each, renewed by progress up to a hard cap. It sends and reads nothing;
 * whoever holds it says what happened and is told what ran out.
 */
import type { Answer, PeerRequestOptions } from "./peer-types.ts";

/** One request that waits. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  readonly options: PeerRequestOptions;
  /** Whether the request carried its progress token. */
  readonly hasToken: boolean;
  /** When it was made, on the clock of `performance.now()`. */
  readonly since: number;
  /** Whether it was handed to the link whole. */
  sent: "sending" | "sent" | "unsent";
  /** Settles once `sent` is known; never rejects. */
  sending?: Promise<void>;
  /** An id that nothing was sent under and that was answered while this request alone was waiting. */
  stray?: string;
  /** Stops listening to the caller's signal. */
  detach?: () => void;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** The hard cap of a request in milliseconds, counted from its start. */
export function capOf({ timeoutMs, timeoutMaxMs }: PeerRequestOptions): number {
  return timeoutMaxMs ?? timeoutMs * 10;
}

export class PendingTable {
  readonly #clocks = new Map<number, Clock>();
  readonly #onExpired: (entry: Pending, capped: boolean) => void;

  /** `onExpired` gets each request that ran out, taken out already; `capped`: by its hard cap. */
  constructor(onExpired: (entry: Pending, capped: boolean) => void) {
    this.#onExpired = onExpired;
  }

  /** Starts the clock of a request. */
  add(entry: Pending): void {
    const { id, since, options } = entry;
    const clock: Clock = {
      entry,
      idleAt: since + options.timeoutMs,
      capAt: since + capOf(options),
      last: Number.NEGATIVE_INFINITY,
    };
    this.#clocks.set(id, clock);
    this.#arm(clock);
  }

  /** Takes a request out and stops its clock. Undefined if it does not wait (any more). */
  take(id: number): Pending | undefined {
    const clock = this.#clocks.get(id);
    if (clock === undefined) return undefined;
    this.#clocks.delete(id);
    clearTimeout(clock.timer);
    return clock.entry;
  }

  /** The only one that waits; undefined if there are none or several. */
  only(): Pending | undefined {
    if (this.#clocks.size !== 1) return undefined;
    return this.#clocks.values().next().value?.entry;
  }

  /**
   * Renews the idle time and gives the request back, or the reason why its progress is not worth showing. A value
   * smaller than the one before still is a sign of life.
   */
  renew(id: number, progress: number): Pending | string {
    const clock = this.#clocks.get(id);
    if (clock === undefined) return `no request waits for token ${id}`;
    if (!clock.entry.hasToken) return `request ${id} has no token`;
    clock.idleAt = performance.now() + clock.entry.options.timeoutMs;
    if (progress < clock.last) return "it went down";
    clock.last = progress;
    return clock.entry;
  }

  /** Leaves a request at most `ms` more. */
  hurry(id: number, ms: number): void {
    const clock = this.#clocks.get(id);
    if (clock === undefined) return;
    clock.idleAt = Math.min(clock.idleAt, performance.now() + ms);
    clearTimeout(clock.timer);
    this.#arm(clock);
  }

  /** Takes out all, oldest first. */
  clear(): Pending[] {
    return [...this.#clocks.keys()].flatMap((id) => this.take(id) ?? []);
  }

  #arm(clock: Clock): void {
    const ms = Math.min(clock.idleAt, clock.capAt) - performance.now();
    clock.timer = setTimeout(() => this.#ring(clock), Math.min(Math.max(ms, 0), timerMsMax));
  }

  /** Progress only moves `idleAt`; the timer looks again when it rings, so that progress costs no timer. */
  #ring(clock: Clock): void {
    const now = performance.now();
    if (now < clock.idleAt && now < clock.capAt) return this.#arm(clock);
    this.#clocks.delete(clock.entry.id);
    this.#onExpired(clock.entry, now >= clock.capAt);
  }
}

// --- internal ---

interface Clock {
  readonly entry: Pending;
  readonly capAt: number;
  idleAt: number;
  timer?: ReturnType<typeof setTimeout>;
  /** The last progress value. */
  last: number;
}

/** Longer timers fire at once (the delay is a signed 32-bit number). */
const timerMsMax = 2 ** 31 - 1;
