/**
 * The requests that wait for an answer: one timer each, renewed by progress up to a hard cap. It sends and reads nothing;
 * whoever holds it says what happened and is told what ran out. On the path of every message: few objects, no closures.
 */
import { timerMsMax } from "../base/async.ts";
import { Aborts } from "./aborts.ts";
import type { Answer, PeerRequestOptions } from "./peer-types.ts";

/** One request that waits. Times are on the clock of `performance.now()`. */
export interface Pending {
  readonly id: number;
  readonly method: string;
  readonly options: PeerRequestOptions;
  /** Whether the request carried its progress token. */
  readonly hasToken: boolean;
  capAt: number;
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
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** The hard cap of a request in milliseconds, counted from its start. */
export function capOf({ timeoutMs, timeoutMaxMs }: PeerRequestOptions): number {
  return timeoutMaxMs ?? timeoutMs * 10;
}

/** Why a request was given up, taken out already; `capped`: its hard cap ran out, not its idle time. */
export type GivenUp = "aborted" | "idle" | "capped";

export class PendingTable {
  readonly #entries = new Map<number, Pending>();
  readonly #aborts: Aborts<Pending>;
  readonly #onGivenUp: (entry: Pending, why: GivenUp) => void;
  readonly #ring: (entry: Pending) => void;
  /** Since when all clocks stand still; undefined: they run. */
  #pausedAt: number | undefined;

  constructor(onGivenUp: (entry: Pending, why: GivenUp) => void) {
    this.#onGivenUp = onGivenUp;
    this.#ring = (entry) => this.#look(entry);
    this.#aborts = new Aborts((entry) => this.#giveUp(entry, "aborted"));
  }

  /** Starts the clock of a request, and listens to its signal, which must not have fired. */
  add(entry: Pending, now: number): void {
    const { id, options } = entry;
    this.#entries.set(id, entry);
    if (options.signal !== undefined) this.#aborts.add(options.signal, entry);
    this.#arm(entry, now);
  }

  /** Takes a request out, and stops clock and listening. Undefined if it does not wait (any more). */
  take(id: number): Pending | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(id);
    clearTimeout(entry.timer);
    const { signal } = entry.options;
    if (signal !== undefined) this.#aborts.remove(signal, entry);
    return entry;
  }

  /** All that wait, oldest first. */
  waiting(): Pending[] {
    return [...this.#entries.values()];
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

  /** Stops all clocks, and those of requests that are added, until `resume`. */
  pause(): void {
    this.#pausedAt ??= performance.now();
  }

  resume(): void {
    if (this.#pausedAt === undefined) return;
    const now = performance.now();
    const ms = now - this.#pausedAt;
    this.#pausedAt = undefined;
    for (const entry of this.#entries.values()) {
      entry.idleAt += ms;
      entry.capAt += ms;
      // Its timer may have rung in vain.
      clearTimeout(entry.timer);
      this.#arm(entry, now);
    }
  }

  /** Takes out all, oldest first. */
  clear(): Pending[] {
    return this.waiting().flatMap(({ id }) => this.take(id) ?? []);
  }

  #arm(entry: Pending, now: number): void {
    const ms = Math.min(entry.idleAt, entry.capAt) - now;
    entry.timer = setTimeout(this.#ring, Math.min(Math.max(ms, 0), timerMsMax), entry);
  }

  #look(entry: Pending): void {
    if (this.#pausedAt !== undefined) return;
    const now = performance.now();
    if (now < entry.idleAt && now < entry.capAt) return this.#arm(entry, now);
    this.#giveUp(entry, now >= entry.idleAt ? "idle" : "capped");
  }

  #giveUp({ id }: Pending, why: GivenUp): void {
    const entry = this.take(id);
    if (entry !== undefined) this.#onGivenUp(entry, why);
  }
}
