/** Durations as people write them, and timeouts in milliseconds. */
import { expect, test } from "bun:test";

import { parseDuration, parseTimeout } from "../../lib/config/duration.ts";

test.each([
  ["30s", 30_000],
  ["500ms", 500],
  ["2m", 120_000],
  ["1h", 3_600_000],
  ["30", 30_000],
  ["1.5", 1500],
  [".5s", 500],
  [" 1 s ", 1000],
  ["0", 0],
  ["0.0ms", 0],
  ["0.0001", 1],
  [".4ms", 1],
  ["1.4ms", 1],
  ["9999h", 2_147_483_647],
  ["", undefined],
  ["s", undefined],
  ["-1s", undefined],
  ["1e3", undefined],
  ["1d", undefined],
  ["1s2", undefined],
] as [string, number | undefined][])("a duration %j is %p ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test("a tiny timeout is not none at all", () => {
  expect([0.0001, "0.0001", "0.1ms"].map(parseTimeout)).toEqual([1, 1, 1]);
});

test("a timeout that is no number is none", () => {
  for (const value of [Number.NaN, null, {}, [], "1.2.3"])
    expect(parseTimeout(value)).toBeUndefined();
});
