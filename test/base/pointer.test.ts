import { expect, test } from "bun:test";

import type { Json } from "../../lib/base/json.ts";
import { atPointer, atReference, resolverOf } from "../../lib/base/pointer.ts";

const value: Json = { a: [{ "b/c": 1, "~": 2, "": 3 }], __proto__x: 4 };

test.each<[string, Json | undefined]>([
  ["", value],
  ["/a/0/b~1c", 1],
  ["/a/0/~0", 2],
  ["/a/0/", 3],
  ["/a/00", undefined],
  ["/a/1", undefined],
  ["/a/length", undefined],
  ["/constructor", undefined],
  ["/__proto__", undefined],
  ["a", undefined],
])("%p", (pointer, expected) => {
  expect(atPointer(value, pointer)).toEqual(expected as Json);
});

test("references are pointers in a fragment", () => {
  expect(atReference(value, "#")).toEqual(value);
  expect(atReference(value, "#/a/0/b~1c")).toBe(1);
  expect(atReference(value, "#/a/0/b%7E1c")).toBe(1);
  expect(atReference(value, "#/%")).toBeUndefined();
  expect(atReference(value, "other.json#/a")).toBeUndefined();
});

test("names lead to what is called so, in places of schemas only, and pointers as ever", () => {
  const schema = {
    default: { $anchor: "a", not: "this" },
    const: [{ $anchor: "a" }],
    $defs: {
      x: { $anchor: "a", n: 1 },
      y: {
        items: [
          { $id: "#b", n: 2 },
          { id: "#__proto__", n: 3 },
        ],
      },
    },
  };
  const resolve = resolverOf(schema);
  expect(resolve("#a")).toEqual({ $anchor: "a", n: 1 });
  expect(resolve("#b")).toMatchObject({ n: 2 });
  expect(resolve("#__proto__")).toMatchObject({ n: 3 });
  expect(resolve("#constructor")).toBeUndefined();
  expect(resolve("other#a")).toBeUndefined();
  expect(resolve("#/$defs/x/n")).toBe(1);
  expect(resolve("#")).toBe(schema);
});

test("what has an $id is found by it, and places in it by a pointer; nothing else that is no fragment", () => {
  const node = { $id: "Node", $defs: { n: 1 }, items: { $ref: "Node" } };
  const schema = { $id: "https://example.com/s", $defs: { node }, default: { $id: "Other" } };
  const resolve = resolverOf(schema);
  expect(resolve("Node")).toBe(node);
  expect(resolve("Node#")).toBe(node);
  expect(resolve("Node#/$defs/n")).toBe(1);
  expect(resolve("https://example.com/s#/$defs/node")).toBe(node);
  expect(resolve("https://example.com/s")).toBe(schema);
  for (const lost of ["Other", "node", "", "Node#/none", "https://example.com/Node"])
    expect(resolve(lost)).toBeUndefined();
});
