/** Giving up without a signal, and with one. */
import { expect, test } from "bun:test";

import { Cancel } from "../../lib/base/cancel.ts";

test("who waits is told once, with the reason; a signal that is asked for before or after says the same", () => {
  const cancel = new Cancel();
  const early = cancel.signal;
  const told: unknown[] = [];
  cancel.waiter = { cancelled: () => told.push(cancel.reason) };
  expect([cancel.isCancelled, early.aborted]).toEqual([false, false]);
  cancel.cancel("why");
  cancel.cancel("again");
  expect(told).toEqual(["why"]);
  expect([cancel.isCancelled, early.aborted, early.reason]).toEqual([true, true, "why"]);
  expect(cancel.signal).toBe(early);

  const late = new Cancel();
  late.cancel("why");
  expect([late.signal.aborted, late.signal.reason]).toEqual([true, "why"]);
});
