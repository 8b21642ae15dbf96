import { expect, test } from "bun:test";

import { nearest } from "../../lib/base/nearest.ts";

test("a typing error finds the word, the closest first", () => {
  expect(nearest("echoo", ["add", "each", "ehco", "echo"])).toEqual(["echo"]);
  expect(nearest("ehco", ["add", "echo"])).toEqual(["echo"]);
  expect(nearest("read_fil", ["write_file", "read_file", "list"])[0]).toBe("read_file");
});

test("a part of a long name finds it, and case does not count", () => {
  expect(nearest("sum", ["everything_get-sum", "other"])).toEqual(["everything_get-sum"]);
  expect(nearest("ECHO", ["echo"])).toEqual(["echo"]);
});

test("what is far away is not offered", () => {
  expect(nearest("xyz", ["echo", "add"])).toEqual([]);
  expect(nearest("", ["echo", "__proto__"])).toEqual([]);
});

test("20,000 names of 300 characters are answered soon", () => {
  const names = Array.from({ length: 20_000 }, (_, i) => `${"n".repeat(300)}${i}`);
  expect(nearest("n".repeat(300), names)).toHaveLength(3);
});
