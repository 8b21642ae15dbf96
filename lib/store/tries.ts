/** Asks a database again while somebody else holds it or its connection is lost, within a bound. */
import { abortable, sleep } from "../base/async.ts";
import { isHostError } from "../base/errors.ts";
import { faultOf, storeError } from "./sql-errors.ts";
import type { Fault } from "./sql-errors.ts";

export interface TriesOptions {
  /** Where the database is, without credentials. */
  label: string;
  /** How long all tries together may take. */
  waitMs: number;
}

/**
 * @param attempt its signal fires when nobody waits any more
 * @throws HostError `config`: it failed, or was not done in time; and what `attempt` throws of its own
 */
export async function withTries<T>(
  { label, waitMs }: TriesOptions,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + waitMs;
  const scope = new AbortController();
  let last: { fault: Fault; error: unknown } = {
    fault: "lost",
    error: { code: "no answer in time" },
  };
  const late = () => scope.abort(storeError(label, last.fault, last.error));
  const timer = setTimeout(late, waitMs);
  try {
    for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 2, 200)) {
      try {
        return await abortable(attempt(scope.signal), scope.signal);
      } catch (error) {
        if (isHostError(error)) throw error;
        const fault = faultOf(error);
        last = { fault, error };
        const isOver = performance.now() + pauseMs > deadline;
        if (isOver || (fault !== "busy" && fault !== "lost")) throw storeError(label, fault, error);
      }
      // Spread, so that many who wait for one do not come back together.
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  } finally {
    clearTimeout(timer);
  }
}
