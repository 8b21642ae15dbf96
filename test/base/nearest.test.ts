import { expect, test } from "bun:test";

import { didYouMean, nearest } from "../../lib/base/nearest.ts";

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

test("names with the parts that were typed, whatever divides them", () => {
  const names = ["files_read_text_file", "files_write_file", "files_list"];
  expect(nearest("files.read_txt", names)).toEqual(["files_read_text_file"]);
  expect(nearest("readText", names)).toEqual(["files_read_text_file"]);
  expect(nearest("text read", ["write_file", "read_text_file"])).toEqual(["read_text_file"]);
  expect(nearest("read_nothing_like_it", names)).toEqual([]);
});

test("of several names of one thing the closest counts, and the first is shown, once", () => {
  const names = [["fs_list", "list"] as const, ["fs_read", "read"] as const];
  expect(nearest("lst", names)).toEqual(["fs_list"]);
  expect(nearest("fs_reed", [...names, ...names])).toEqual(["fs_read"]);
});

test("did you mean", () => {
  expect(didYouMean([])).toBeUndefined();
  expect(didYouMean(["a"])).toBe("did you mean a?");
  expect(didYouMean(["a", "b", "c"])).toBe("did you mean a, b or c?");
});
