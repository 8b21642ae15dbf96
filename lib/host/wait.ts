/** Giving up a wait, with an error of ours: the work that is waited for may be shared and goes on. */
import { abortable } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";

/** Waits for `work` until `signal` fires. @throws what `work` throws; else as `givenUp` */
export async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await abortable(work, signal);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? givenUp(signal) : error;
  }
}

/** The error of a signal that fired: its reason where that is one of ours, else `cancelled`. */
export function givenUp({ reason }: AbortSignal): HostError {
  if (isHostError(reason)) return reason;
  return new HostError("cancelled", "it was cancelled", { cause: reason });
}
