import { expect, test } from "bun:test";

import { settlesWithin } from "../../lib/base/async.ts";
import { Channel } from "../../lib/base/channel.ts";

test("gives items in order, those that waited and those that are waited for", async () => {
  const channel = new Channel<number>();
  channel.push(1);
  channel.push(2);
  expect(channel.size).toBe(2);
  const got: number[] = [];
  const reading = (async () => {
    for await (const item of channel) got.push(item);
  })();
  for (let i = 3; i < 5000; i++) {
    await channel.push(i);
    if (i % 7 === 0) await Promise.resolve();
  }
  channel.end();
  await reading;
  expect(got).toEqual(Array.from({ length: 4999 }, (_, i) => i + 1));
});

test("asks the producer to wait when it is full, and lets it go on when there is room", async () => {
  const channel = new Channel<number>(2);
  expect(channel.push(1)).toBeUndefined();
  const room = channel.push(2);
  expect(room).toBeInstanceOf(Promise);
  expect(await settlesWithin(room as Promise<void>, 5)).toBe(false);
  await channel.next();
  await room;
  expect(channel.size).toBe(1);
});

test("items that wait come before the end, and before an error", async () => {
  const ended = new Channel<string>();
  ended.push("a");
  ended.end();
  ended.push("after the end");
  expect(await Array.fromAsync(ended)).toEqual(["a"]);

  const failed = new Channel<string>();
  failed.push("a");
  failed.end(new Error("broken"));
  expect(await failed.next()).toEqual({ value: "a", done: false });
  await expect(failed.next()).rejects.toThrow("broken");
  expect((await failed.next()).done).toBe(true);
});

test("an error or an end reaches the consumer that waits already", async () => {
  const failed = new Channel<string>();
  const next = failed.next();
  failed.end(new Error("broken"));
  await expect(next).rejects.toThrow("broken");
  const ended = new Channel<string>();
  const last = ended.next();
  ended.end();
  expect((await last).done).toBe(true);
});

test("leaving the loop frees the producer, and later items are thrown away", async () => {
  const channel = new Channel<number>(1);
  const room = channel.push(1);
  for await (const _ of channel) break;
  await room;
  expect(channel.push(2)).toBeUndefined();
  expect((await channel.next()).done).toBe(true);
});

test("has one consumer, and says so to a second", async () => {
  const channel = new Channel<number>();
  const first = channel.next();
  await expect(channel.next()).rejects.toThrow("one consumer");
  channel.push(7);
  expect(await first).toEqual({ value: 7, done: false });
});
