import { expect, test } from "bun:test";

import { isDeeper } from "../../lib/base/json.ts";
import type { Json } from "../../lib/base/json.ts";

function nested(levels: number): Json {
  let value: Json = 1;
  for (let i = 0; i < levels; i++) value = i % 2 ? [value] : { a: value };
  return value;
}

test.each([0, 1, 2, 100])("a value of %p levels", (levels) => {
  expect(isDeeper(nested(levels), levels)).toBe(false);
  expect(isDeeper(nested(levels + 1), levels)).toBe(true);
});

test("wide and very deep values are answered soon", () => {
  expect(isDeeper(nested(1_000_000), 1000)).toBe(true);
  expect(
    isDeeper(
      Array.from({ length: 100_000 }, () => [1]),
      2,
    ),
  ).toBe(false);
});
