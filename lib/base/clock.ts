/** Time and chance as a value, so that what waits can be tested without waiting. */
import { sleep } from "./async.ts";

export interface Clock {
  /** Milliseconds, on any scale that only goes up. */
  now(): number;
  /** Rejects with the reason of `signal` when that fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 up to but not 1. */
  random(): number;
}

export const realClock: Clock = { now: () => performance.now(), sleep, random: Math.random };
