/** JSON Schema checks: problems say where, what was expected and what was there. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { properties, verdict } from "./schema-kit.ts";

describe("problems say where, what was expected and what was there", () => {
  test.each<[JsonObject, Json, string]>([
    [properties({ a: { type: "integer" } }), { a: 1 }, "ok"],
    [properties({ a: { type: "integer" } }), { a: 1.5 }, "/a: expected integer, got 1.5"],
    [properties({ a: { type: "string" } }), { a: null }, "/a: expected string, got null"],
    [
      properties({ a: { type: ["string", "null"] } }),
      { a: [] },
      "/a: expected string or null, got an array",
    ],
    [properties({}, { required: ["a", "b"] }), {}, "/a: is missing\n/b: is missing"],
    [properties({ a: true }, { additionalProperties: false }), { b: 1 }, "/b: is not allowed here"],
    [properties({ a: { enum: ["x", 1] } }), { a: 2 }, '/a: expected one of "x", 1, got 2'],
    [properties({ a: { const: "x" } }), { a: 2 }, '/a: expected "x", got 2'],
    [
      properties({ a: { anyOf: [{ type: "integer" }, { type: "null" }] } }),
      { a: "x" },
      '/a: expected integer or null, got "x"',
    ],
    [
      properties({ a: { anyOf: [{ minLength: 3 }, { maxLength: 0 }] } }),
      { a: "x" },
      '/a: does not fit any of 2 alternatives, got "x"',
    ],
    [
      { anyOf: [{ required: ["a"] }, { required: ["b", "c"] }] },
      { b: 1 },
      ": expected one of: a, or b and c",
    ],
    [
      { oneOf: [{ required: ["a"] }, { required: ["b"] }] },
      { a: 1, b: 1 },
      ": expected only one of: a, or b",
    ],
    [
      { oneOf: [{ required: ["a"] }, { required: ["b"], properties: { b: { type: "null" } } }] },
      { b: 1 },
      ": does not fit exactly one of 2 alternatives, got an object",
    ],
    [properties({ a: { minimum: 3 } }), { a: 1 }, "/a: expected at least 3, got 1"],
    [properties({ a: { maximum: 3 } }), { a: 4 }, "/a: expected at most 3, got 4"],
    [properties({ a: { exclusiveMinimum: 3 } }), { a: 3 }, "/a: expected more than 3, got 3"],
    [properties({ a: { exclusiveMaximum: 3 } }), { a: 3 }, "/a: expected less than 3, got 3"],
    [properties({ a: { multipleOf: 3 } }), { a: 4 }, "/a: expected a multiple of 3, got 4"],
    [
      properties({ a: { minLength: 2 } }),
      { a: "x" },
      '/a: expected at least 2 characters, got "x"',
    ],
    [
      properties({ a: { maxLength: 1 } }),
      { a: "xy" },
      '/a: expected at most 1 character, got "xy"',
    ],
    [properties({ a: { minItems: 2 } }), { a: [1] }, "/a: expected at least 2 items, got 1"],
    [properties({ a: { maxItems: 1 } }), { a: [1, 2] }, "/a: expected at most 1 item, got 2"],
    [
      properties({ a: { uniqueItems: true } }),
      { a: [1, 1] },
      "/a: expected no item twice, got an array",
    ],
    [properties({ a: { minProperties: 1 } }), { a: {} }, "/a: expected at least 1 key, got 0"],
    [
      properties({ a: { maxProperties: 0 } }),
      { a: { b: 1 } },
      "/a: expected at most 0 keys, got 1",
    ],
    [
      properties({ a: { contains: { type: "string" } } }),
      { a: [1, 2] },
      "/a: expected an item that fits, got an array",
    ],
    [
      properties({ a: { not: { type: "string" } } }),
      { a: "x" },
      '/a: expected something else, got "x"',
    ],
    [
      properties({ a: { dependentRequired: { b: ["c"] } } }),
      { a: { b: 1 } },
      '/a: instance has "b" but does not have "c"',
    ],
    [
      properties(
        { a: { type: "array", items: { $ref: "#/$defs/x" } } },
        { $defs: { x: { type: "boolean" } } },
      ),
      { a: [true, "x"] },
      '/a/1: expected boolean, got "x"',
    ],
    [properties({ "a/b c": { type: "null" } }), { "a/b c": 1 }, "/a~1b c: expected null, got 1"],
  ])("%j over %j", async (schema, value, expected) => {
    expect(await verdict(schema, value)).toBe(expected);
  });
});
