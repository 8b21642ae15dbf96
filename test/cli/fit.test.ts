import { expect, test } from "bun:test";

import { cut, cutStart, fold, widthOf } from "../../lib/cli/fit.ts";

const terminal = { stdin: true, stdout: true, stderr: true, columns: 40 };

test("the width is the terminal's, and none in a pipe", () => {
  expect(widthOf({ terminal })).toBe(40);
  expect(widthOf({ terminal: { ...terminal, stdout: false } })).toBe(Infinity);
  expect(widthOf({ terminal: { ...terminal, columns: 3 } })).toBe(20);
});

test("in a pipe everything stays as it is", () => {
  const text = `${"word ".repeat(100)}\u001b[31m`;
  expect([fold(text, Infinity), cut(text, Infinity), cutStart(text, Infinity)]).toEqual([
    text,
    text,
    text,
  ]);
});

test.each<[text: string, folded: string]>([
  ["short\n  lines\n", "short\n  lines\n"],
  ["one two three four five", "one two three four\n  five"],
  ["  one two three four five", "  one two three\n    four five"],
  ["      one two three four", "      one two three\n      four"],
  ["a-word-that-is-longer-than-that x", "a-word-that-is-longer-than-that\n  x"],
  ["日本語の文 日本語の文 日本", "日本語の文\n  日本語の文 日本"],
  ["\u001b[31mred", "\\u001b[31mred"],
])("%j is wrapped at words", (text, folded) => {
  expect(fold(text, 20)).toBe(folded);
});

test("cut at its end or its start, with a sign of it", () => {
  expect(cut("one two three", 8)).toBe("one two…");
  expect(cutStart("/a/long/long/path/of/c.json", 20)).toBe(
    "…/long/path/of/c.json".slice(-20).replace(/^./, "…"),
  );
  expect([cut("fits", 8), cutStart("fits", 20)]).toEqual(["fits", "fits"]);
});
