import { expect, test } from "bun:test";

import { matchesGlob } from "../../lib/base/glob.ts";

test.each([
  ["echo", "echo", true],
  ["echo", "Echo", false],
  ["echo", "echo2", false],
  ["*", "", true],
  ["*", "a\nb", true],
  ["read_*", "read_file", true],
  ["read_*", "pread_file", false],
  ["*file", "read_file", true],
  ["a*a", "a", false],
  ["a*b*c", "a-b-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["a**c", "ac", true],
  ["a.c", "abc", false],
  ["[a]?", "[a]?", true],
  ["", "", true],
  ["", "x", false],
])("%p over %p is %p", (pattern, text, expected) => {
  expect(matchesGlob(pattern, text)).toBe(expected);
});

test("a hostile pattern takes no time", () => {
  expect(matchesGlob("*a".repeat(5_000) + "b", "a".repeat(100_000))).toBe(false);
});
