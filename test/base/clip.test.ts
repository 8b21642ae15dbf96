/** Texts of others are cut without harm. */
import { expect, test } from "bun:test";

import { clip, shorten } from "../../lib/base/clip.ts";

test("clip cuts long texts, says how much, and halves no character", () => {
  expect(clip("short", 5)).toBe("short");
  expect(clip("abcdef", 5)).toBe("abcde… (1 more characters)");
  expect(clip("ab😀cd", 3)).toBe("ab… (4 more characters)");
});

test("shorten cuts long texts, and halves no character", () => {
  expect(shorten("short", 5)).toBe("short");
  expect(shorten("abcdef", 5)).toBe("abcde…");
  expect(shorten("ab😀cd", 3)).toBe("ab…");
  expect(shorten("ab😀cd", 4)).toBe("ab😀…");
});
