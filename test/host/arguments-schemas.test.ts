/** Where the schema of an argument stands: references, unions, patterns, and what is null. */
import { expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { fitArguments } from "../../lib/host/arguments.ts";
import { fitted } from "./arguments-kit.ts";

function branches(schema: Json): Json {
  return { anyOf: Array.from({ length: 10 }, () => schema) };
}

/** What `key=3` becomes. */
function fitKey(key: string, schema: JsonObject): JsonObject {
  return fitArguments([{ kind: "text", key, text: "3" }], schema);
}

test("local references are followed, recursive and missing ones end", () => {
  const defs = {
    $defs: { "a/b": { type: "integer" }, loop: { $ref: "#/$defs/loop" }, node: { type: "object" } },
  };
  expect(fitted({ $ref: "#/$defs/a~1b" }, "7", defs)).toBe("7");
  expect(fitted({ $ref: "#/$defs/node" }, "{}", defs)).toBe("{}");
  expect(fitted({ $ref: "#/$defs/loop" }, "7", defs)).toBe('"7"');
  expect(fitted({ $ref: "#/$defs/missing" }, "7", defs)).toBe('"7"');
  expect(fitted({ $ref: "https://example.invalid/s.json" }, "7", defs)).toBe('"7"');
  expect(fitted({ $ref: "#" }, "{}", defs)).toBe("{}");
});

test("a reference by name leads to the anchor", () => {
  const named = {
    $defs: { x: { $anchor: "n", type: "integer" }, y: { $id: "#o", type: "array" } },
  };
  expect(fitted({ $ref: "#n" }, "7", named)).toBe("7");
  expect(fitted({ $ref: "#o" }, "[7]", named)).toBe("[7]");
  expect(fitted({ $ref: "#none" }, "7", named)).toBe('"7"');
});

test("a schema that multiplies itself is read at once", () => {
  expect(fitted(branches(branches({ $ref: "#/properties/key" })), "7")).toBe('"7"');
});

test("properties are found through allOf, unions and references of the root", () => {
  const schema = {
    allOf: [{ $ref: "#/$defs/base" }],
    anyOf: [{ properties: { b: { type: "integer" } } }],
    $defs: { base: { properties: { a: { type: "boolean" } } } },
  };
  const parts = [
    { kind: "text", key: "a", text: "true" } as const,
    { kind: "text", key: "b", text: "3" } as const,
  ];
  expect(fitArguments(parts, schema)).toEqual({ a: true, b: 3 });
});

test("a pattern gives the type of the keys that it matches, additionalProperties of those that none does", () => {
  const rest = { additionalProperties: { type: "integer" } };
  const patterns = { "^x_": { type: "number" }, "^s": { type: "string" } };
  expect(fitKey("n", rest)).toEqual({ n: 3 });
  expect(fitKey("x_n", { patternProperties: patterns })).toEqual({ x_n: 3 });
  expect(fitKey("s", { ...rest, patternProperties: patterns })).toEqual({ s: "3" });
  expect(fitKey("n", { ...rest, patternProperties: patterns })).toEqual({ n: 3 });
  expect(fitKey("n", { patternProperties: patterns })).toEqual({ n: "3" });
});

test.each(["^(a+)+$", "a*b*", "[", "(?<x>n)"])(
  "a pattern such as %s is not tried on a key",
  (pattern) => {
    const schema = {
      additionalProperties: { type: "integer" },
      patternProperties: { [pattern]: {} },
    };
    const key = "a".repeat(40) + "!";
    expect(fitArguments([{ kind: "text", key, text: "3" }], schema)).toEqual({ [key]: "3" });
  },
);

test("null is a value of what OpenAPI calls nullable", () => {
  expect(fitted({ type: "integer", nullable: true }, "null")).toBe("null");
  expect(fitted({ type: "integer", nullable: true }, "3")).toBe("3");
  expect(fitted({ enum: [1, 2], nullable: true }, "null")).toBe("null");
  expect(fitted({ type: "string", nullable: true }, "null")).toBe('"null"');
});

test("types that are called otherwise are what they mean", () => {
  expect(fitted({ type: "int" }, "3")).toBe("3");
  expect(fitted({ type: "STRING" }, "3")).toBe('"3"');
  expect(fitted({ type: ["float", "null"] }, "null")).toBe("null");
  expect(fitted({ type: "list", items: { type: "str" } }, '["a"]')).toBe('["a"]');
  expect(fitted({ type: "any" }, "3")).toBe('"3"');
  expect(() => fitted({ type: "Boolean" }, "3")).toThrow("expected boolean");
});
