/** Many waits of one length under one timer. */
import { expect, test } from "bun:test";

import { Deadlines } from "../../lib/base/deadlines.ts";

test("each that is not deleted in time expires, once, the oldest first", async () => {
  const deadlines = new Deadlines(30);
  const expired: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const dues = [0, 1, 2, 3].map((nth) => ({
    at: performance.now(),
    expire() {
      expired.push(nth);
      if (nth === 3) resolve();
    },
  }));
  for (const due of dues) deadlines.add(due);
  deadlines.delete(dues[1]!);
  await promise;
  expect(expired).toEqual([0, 2, 3]);
  expect(performance.now() - dues[0]!.at).toBeGreaterThanOrEqual(28);
});

test("one that was begun later expires later", async () => {
  const deadlines = new Deadlines(40);
  const began = performance.now();
  const wait = () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const at = performance.now();
    deadlines.add({ at, expire: () => resolve(performance.now() - at) });
    return promise;
  };
  const first = wait();
  while (performance.now() - began < 20);
  const second = wait();
  expect(await first).toBeGreaterThanOrEqual(38);
  expect(await second).toBeGreaterThanOrEqual(38);
});

test("the time of all that wait can be over at once", () => {
  const deadlines = new Deadlines(60_000);
  const expired: number[] = [];
  const dues = [0, 1, 2].map((nth) => ({
    at: performance.now(),
    expire() {
      expired.push(nth);
    },
  }));
  for (const due of dues) deadlines.add(due);
  deadlines.delete(dues[1]!);
  deadlines.expireAll();
  deadlines.expireAll();
  expect(expired).toEqual([0, 2]);
});
