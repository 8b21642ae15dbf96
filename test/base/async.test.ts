import { describe, expect, test } from "bun:test";

import { abortable, Semaphore, settlesWithin, sleep } from "../../lib/base/async.ts";
import type { Waiter } from "../../lib/base/async.ts";

describe("abortable", () => {
  test("gives up at once, whatever the promise does later", async () => {
    const controller = new AbortController();
    const work = Promise.withResolvers<string>();
    const waiting = abortable(work.promise, controller.signal);
    controller.abort(new Error("stop"));
    await expect(waiting).rejects.toThrow("stop");
    work.reject(new Error("late")); // must not become an unhandled rejection
  });

  test("passes on value and failure", async () => {
    const { signal } = new AbortController();
    expect(await abortable(Promise.resolve(1), signal)).toBe(1);
    await expect(abortable(Promise.reject(new Error("no")), signal)).rejects.toThrow("no");
    await expect(
      abortable(new Promise(() => {}), AbortSignal.abort(new Error("was"))),
    ).rejects.toThrow("was");
  });
});

test("settlesWithin counts a rejection and does not wait longer than told", async () => {
  expect(await settlesWithin(Promise.reject(new Error("x")), 10_000)).toBe(true);
  expect(await settlesWithin(Promise.resolve(), 10_000)).toBe(true);
  expect(await settlesWithin(new Promise(() => {}), 5)).toBe(false);
  expect(await settlesWithin(sleep(5), Infinity)).toBe(true);
});

test("sleep ends with the reason of its signal, before and during the wait", async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(new Error("wake up"));
  await expect(sleeping).rejects.toThrow("wake up");
  await expect(sleep(60_000, controller.signal)).rejects.toThrow("wake up");
  await sleep(1, new AbortController().signal);
  expect(await settlesWithin(sleep(Infinity, AbortSignal.timeout(50)), 5)).toBe(false);
});

describe("Semaphore", () => {
  test("lets so many run and the others wait in order", async () => {
    const semaphore = new Semaphore(2);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const work = async (id: number) => {
      if (!semaphore.take()) await semaphore.acquire();
      order.push(id);
      most = Math.max(most, ++running);
      await sleep(1);
      running -= 1;
      semaphore.release();
    };
    await Promise.all([0, 1, 2, 3, 4].map(work));
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4]);
  });

  test("who gives up waiting takes no permit", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire();
    expect(semaphore.take()).toBe(false);
    const controller = new AbortController();
    const second = semaphore.acquire(controller.signal);
    controller.abort(new Error("tired"));
    await expect(second).rejects.toThrow("tired");
    await expect(semaphore.acquire(controller.signal)).rejects.toThrow("tired");
    semaphore.release();
    expect(semaphore.take()).toBe(true);
    expect(await settlesWithin(semaphore.acquire(), 5)).toBe(false);
  });

  test("many may wait under one signal, and go together", async () => {
    const semaphore = new Semaphore(1);
    await semaphore.acquire();
    const controller = new AbortController();
    const gone = [1, 2, 3].map(() => semaphore.acquire(controller.signal));
    const served = semaphore.acquire(new AbortController().signal);
    semaphore.release();
    await gone[0];
    controller.abort(new Error("tired"));
    const ends = await Promise.allSettled(gone);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    semaphore.release();
    expect(await settlesWithin(served, 1000)).toBe(true);
    semaphore.release();
    expect(semaphore.take()).toBe(true);
  });

  test("whoever is told of its turn keeps its place among those who are promised one", async () => {
    const semaphore = new Semaphore(1);
    semaphore.take();
    const order: string[] = [];
    const told = (name: string): Waiter => ({ turn: () => void order.push(name) });
    const [first, gone, last] = [told("first"), told("gone"), told("last")];
    semaphore.wait(first);
    semaphore.wait(gone);
    const promised = semaphore.acquire().then(() => order.push("promised"));
    semaphore.wait(last);
    semaphore.leave(gone);
    expect(semaphore.waiting).toBe(3);
    for (let turns = 0; turns < 3; turns++) semaphore.release();
    await promised;
    expect(order.toSorted()).toEqual(["first", "last", "promised"]);
    expect(order[0]).toBe("first");
    expect(semaphore.isUnused).toBe(false);
    semaphore.release();
    expect(semaphore.isUnused).toBe(true);
  });

  test("those who are done at once are not done inside each other, and nobody comes between", () => {
    const semaphore = new Semaphore(1);
    semaphore.take();
    let turns = 0;
    for (let count = 0; count < 20_000; count++)
      semaphore.wait({
        turn() {
          turns++;
          semaphore.release();
          expect(semaphore.take()).toBe(semaphore.waiting === 0);
          if (semaphore.waiting === 0) semaphore.release();
        },
      });
    semaphore.release();
    expect(turns).toBe(20_000);
    expect(semaphore.isUnused).toBe(true);
  });
});
