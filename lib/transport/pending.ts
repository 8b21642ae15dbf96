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
  /** When it was sent, on the clock of `performance.now()`. */
  readonly since: number;
  sent: "sending" | "sent" | "unsent";
  /** Settles once `sent` is known; never rejects. */
  sending: Promise<void> | undefined;
  /** An answer that came under an id that fits nothing, while this request alone was waiting. */
  stray?: string;
  /** Stops listening to the caller's signal. */
  detach?: () => void;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export interface PendingTable {
  readonly size: number;
  /** Starts the clock of a request. */
  add(entry: Pending): void;
  /** Takes a request out and stops its clock. Undefined if it does not wait (any more). */
  take(id: number): Pending | undefined;
  /** The only one that waits; undefined if there are none or several. */
  only(): Pending | undefined;
  /**
   * Renews the idle time and gives the request back; or the reason why its progress is not worth showing. A smaller
   * value than before still is a sign of life.
   */
  renew(id: number, progress: number): Pending | string;
  /** Leaves a request at most `ms` more. */
  hurry(id: number, ms: number): void;
  /** Takes out all, oldest first. */
  clear(): Pending[];
}

/** The hard cap of a request in milliseconds, counted from its start. */
export function capOf({ timeoutMs, timeoutMaxMs }: PeerRequestOptions): number {
  return timeoutMaxMs ?? timeoutMs * 10;
}

/** Makes an empty table. `onExpired` gets each request that ran out, taken out already; `capped`: by its hard cap. */
export function pendingTable(onExpired: (entry: Pending, capped: boolean) => void): PendingTable {
  const entries = new Map<number, Clock>();

  const arm = (clock: Clock): void => {
    const ms = Math.min(clock.idleAt, clock.capAt) - performance.now();
    clock.timer = setTimeout(ring, Math.min(Math.max(ms, 0), timerMsMax), clock);
  };
  // Progress only moves `idleAt`; the timer looks again when it rings, so that progress costs no timer.
  const ring = (clock: Clock): void => {
    const now = performance.now();
    if (now < clock.idleAt && now < clock.capAt) return arm(clock);
    entries.delete(clock.entry.id);
    onExpired(clock.entry, now >= clock.capAt);
  };
  const stop = (clock: Clock): Pending => {
    clearTimeout(clock.timer);
    return clock.entry;
  };

  return {
    get size() {
      return entries.size;
    },
    add(entry) {
      const idleAt = entry.since + entry.options.timeoutMs;
      const capAt = entry.since + capOf(entry.options);
      const clock: Clock = {
        entry,
        idleAt,
        capAt,
        timer: undefined,
        last: Number.NEGATIVE_INFINITY,
      };
      entries.set(entry.id, clock);
      arm(clock);
    },
    take(id) {
      const clock = entries.get(id);
      if (clock === undefined) return undefined;
      entries.delete(id);
      return stop(clock);
    },
    only() {
      if (entries.size !== 1) return undefined;
      for (const clock of entries.values()) return clock.entry;
      return undefined;
    },
    renew(id, progress) {
      const clock = entries.get(id);
      if (clock === undefined || !clock.entry.hasToken) return `no request waits for token ${id}`;
      clock.idleAt = performance.now() + clock.entry.options.timeoutMs;
      if (progress < clock.last) return "it went down";
      clock.last = progress;
      return clock.entry;
    },
    hurry(id, ms) {
      const clock = entries.get(id);
      if (clock === undefined) return;
      clock.idleAt = Math.min(clock.idleAt, performance.now() + ms);
      clearTimeout(clock.timer);
      arm(clock);
    },
    clear() {
      const all = [...entries.values()].map(stop);
      entries.clear();
      return all;
    },
  };
}

// --- internal ---

interface Clock {
  readonly entry: Pending;
  idleAt: number;
  readonly capAt: number;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The last progress value; a smaller one is not shown. */
  last: number;
}

/** Longer timers fire at once (the delay is a signed 32-bit number). */
const timerMsMax = 2 ** 31 - 1;
