/**
 * How work waits for its turn at a server that has as much as it takes: in order, within a bound of how many wait and how
 * long. Loaded when something first has to wait. What is turned away here was never sent.
 */
import type { Semaphore } from "../base/async.ts";
import { timerMsMax } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import type { ServerConfig } from "../config/types.ts";
import { givenUp } from "./wait.ts";

export interface TurnOptions {
  config: Pick<ServerConfig, "name" | "queueMax" | "queueMs">;
  /** Others use the servers: what the config does not bound gets the defaults; else only what it says holds. */
  isLent: boolean;
  signal: AbortSignal;
}

/**
 * Waits for a turn, which is released once.
 * @throws HostError `server_start` with `facts.busy` and `facts.retryMs` (the queue is full, or the wait was too long);
 *   as `givenUp` once `signal` fires
 */
export async function waitTurn(slots: Semaphore, options: TurnOptions): Promise<void> {
  const { config, isLent, signal } = options;
  const { name, queueMax = isLent ? queueMaxDefault : Infinity } = config;
  const { queueMs = isLent ? queueMsDefault : Infinity } = config;
  if (slots.take()) return;
  if (slots.waiting >= queueMax) throw busyError(name, `${slots.waiting} wait for their turn`);
  const late = new AbortController();
  const timer =
    queueMs === Infinity
      ? undefined
      : setTimeout(() => late.abort(), Math.min(queueMs, timerMsMax));
  try {
    await slots.acquire(AbortSignal.any([signal, late.signal]));
  } catch {
    if (signal.aborted) throw givenUp(signal);
    throw busyError(name, `there was no turn within ${queueMs} ms`);
  } finally {
    clearTimeout(timer);
  }
}

// --- internal ---

const queueMaxDefault = 256;
const queueMsDefault = 30_000;
const retryMs = 2000;

/** The server is up, but cannot be reached now: nothing was sent, and later it may be. */
function busyError(server: string, why: string): HostError {
  return new HostError("server_start", `server "${server}" is busy: ${why}, and nothing was sent`, {
    facts: { server, busy: true, retryMs, sent: false },
    hint: "try it again later; concurrency, queueMax and queueMs of its entry in the config allow more",
  });
}
