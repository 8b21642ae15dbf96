/** Answers that are kept: how many, how large and how long at most. */
import { expect, test } from "bun:test";

import { counted, faked } from "./cache-kit.ts";

test("entries and characters are bounded: the oldest go, and what is too large is not kept", async () => {
  const { cache, asked } = faked((_m, { uri }) => ({
    ttlMs: 1000,
    text: uri === "big" ? "x".repeat(300) : "",
  }));
  const kept = cache({ entriesMax: 2, charsMax: 1000 });
  const read = async (uri: string) => {
    const before = asked.length;
    await kept.request("resources/read", { uri });
    return asked.length > before;
  };
  expect([await read("a"), await read("b"), await read("c")]).toEqual([true, true, true]);
  expect([await read("c"), await read("b"), await read("a")]).toEqual([false, false, true]);
  expect([await read("big"), await read("big")]).toEqual([true, true]);
});

test("a time-to-live beyond a day is a day", async () => {
  const { cache, clock, asked } = faked(counted({ ttlMs: 1e15 }));
  const kept = cache();
  await kept.request("prompts/list", {});
  clock.now += 24 * 3_600_000;
  await kept.request("prompts/list", {});
  expect(asked).toHaveLength(2);
});
