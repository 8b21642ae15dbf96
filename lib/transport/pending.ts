/**
 * The requests that wait for an answer, each with its time, renewed by progress up to a hard cap; one alarm for all. It
 * sends and reads nothing; whoever holds it says what happened and is told what ran out. On the path of every message:
 * few objects, no closures, no timer.
 */
import { Aborts } from "../base/aborts.ts";
import { timerMsMax } from "../base/async.ts";
import { NumberedChain } from "../base/numbered.ts";
import type { PeerRequest } from "./peer-request.ts";

/** Why a request was given up, taken out already; `capped`: its hard cap ran out, not its idle time. */
export type GivenUp = "aborted" | "idle" | "capped";

export class PendingTable {
  readonly #entries = new NumberedChain<PeerRequest>();
  readonly #aborts: Aborts;
  readonly #onGivenUp: (entry: PeerRequest, why: GivenUp) => void;
  /** Rings when the first of them may have run out, and then looks at all. */
  #alarm: Timer | undefined;
  #alarmAt = Number.POSITIVE_INFINITY;
  /** Since when all clocks stand still; undefined: they run. */
  #pausedAt: number | undefined;

  constructor(onGivenUp: (entry: PeerRequest, why: GivenUp) => void) {
    this.#onGivenUp = onGivenUp;
    this.#aborts = new Aborts((signal) => this.#abortAll(signal));
  }

  /** Starts the clock of a request, and listens to its signal, which must not have fired. */
  add(entry: PeerRequest, now: number): void {
    this.#entries.add(entry);
    entry.waitsIn = this;
    const { cancel, signal } = entry.options;
    if (cancel !== undefined) cancel.waiter = entry;
    else if (signal !== undefined) this.#aborts.add(signal);
    this.#wakeFor(entry, now);
  }

  /** Takes a request out, and stops clock and listening. Undefined if it does not wait (any more). */
  take(id: number): PeerRequest | undefined {
    const entry = this.#entries.find(id);
    if (entry === undefined) return undefined;
    this.#entries.delete(entry);
    const { cancel, signal } = entry.options;
    if (cancel !== undefined) cancel.waiter = undefined;
    else if (signal !== undefined) this.#aborts.remove(signal);
    return entry;
  }

  /** All that wait, oldest first. */
  waiting(): PeerRequest[] {
    return this.#entries.all();
  }

  /**
   * Renews the idle time and gives the request back, or the reason why its progress is not worth showing. A value
   * smaller than the one before still is a sign of life. It only moves `idleAt`: the alarm looks again when it rings.
   */
  renew(id: number, progress: number): PeerRequest | string {
    const entry = this.#entries.find(id);
    if (entry === undefined) return `no request waits for token ${id}`;
    if (!entry.hasToken) return `request ${id} has no token`;
    entry.idleAt = performance.now() + entry.timeoutMs;
    if (progress < entry.progress) return "it went down";
    entry.progress = progress;
    return entry;
  }

  /** Its `cancel` says so. */
  aborted(entry: PeerRequest): void {
    this.#giveUp(entry, "aborted");
  }

  /** Leaves a request at most `ms` more. */
  hurry(entry: PeerRequest, ms: number): void {
    const now = performance.now();
    entry.idleAt = Math.min(entry.idleAt, now + ms);
    this.#wakeFor(entry, now);
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
    for (const entry of this.#entries.all()) {
      entry.idleAt += ms;
      entry.capAt += ms;
      // The alarm may have rung in vain.
      this.#wakeFor(entry, now);
    }
  }

  /** Takes out all, oldest first. */
  clear(): PeerRequest[] {
    const all = this.waiting();
    for (const { id } of all) this.take(id);
    this.#aborts.clear();
    clearTimeout(this.#alarm);
    return all;
  }

  /** The alarm is set anew only for what runs out before all others: hardly ever. */
  #wakeFor({ idleAt, capAt }: PeerRequest, now: number): void {
    const at = Math.min(idleAt, capAt);
    if (at < this.#alarmAt) this.#setAlarm(at, now);
  }

  /** The link keeps the process alive, or the caller; the alarm does not. */
  #setAlarm(at: number, now: number): void {
    clearTimeout(this.#alarm);
    this.#alarmAt = at;
    const ms = Math.min(Math.max(at - now, 0), timerMsMax);
    this.#alarm = setTimeout(() => this.#look(), ms).unref();
  }

  #look(): void {
    const now = performance.now();
    const isLate = now - this.#alarmAt > lateMs;
    this.#alarmAt = Number.POSITIVE_INFINITY;
    if (this.#pausedAt !== undefined) return;
    // We were stopped, or busy: an answer that came meanwhile is read first.
    if (isLate) return this.#setAlarm(now + graceMs, now);
    for (const entry of this.waiting()) {
      if (now >= entry.idleAt) this.#giveUp(entry, "idle");
      else if (now >= entry.capAt) this.#giveUp(entry, "capped");
      else this.#wakeFor(entry, now);
    }
  }

  #abortAll(signal: AbortSignal): void {
    for (const entry of this.waiting())
      if (entry.options.signal === signal) this.#giveUp(entry, "aborted");
  }

  #giveUp({ id }: PeerRequest, why: GivenUp): void {
    const entry = this.take(id);
    if (entry !== undefined) this.#onGivenUp(entry, why);
  }
}

// --- internal ---

/** An alarm that rings later than that did so because nothing else was done either. */
const lateMs = 500;
/** How long reading then goes before waiting. */
const graceMs = 100;
