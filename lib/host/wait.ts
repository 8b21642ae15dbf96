/** Giving up a wait, with an error of ours: the work that is waited for may be shared and goes on. */
import { abortable } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";

/** Waits for `work` until `signal` fires. @throws what `work` throws; else as `givenUp` */
export async function waitFor<T>(work: Promise<T>, signal: AbortSignal, at?: Facts): Promise<T> {
  try {
    return await abortable(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? givenUp(signal, at) : error;
  }
}

/** The error of a signal that fired: its reason where that is one of ours, else `cancelled`. `at`: what was under way. */
export function givenUp({ reason }: AbortSignal, at: Facts = {}): HostError {
  if (!isHostError(reason))
    return new HostError("cancelled", "it was cancelled", { facts: at, cause: reason });
  const { code, message, hint } = reason;
  const facts = { ...at, ...reason.facts };
  return new HostError(code, message, {
    facts,
    ...(hint !== undefined && { hint }),
    cause: reason,
  });
}
