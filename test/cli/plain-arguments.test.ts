/** The arguments of a plain call: those that the host would make of the same words, or none. */
import { expect, test } from "bun:test";

import * as fc from "fast-check";

import type { JsonObject } from "../../lib/base/json.ts";
import { readArguments } from "../../lib/cli/arguments.ts";
import { fitting } from "../../lib/cli/plain/read.ts";
import { fitArguments } from "../../lib/host/arguments.ts";
import type { ArgumentPart } from "../../lib/host/arguments.ts";

function plain(words: string[], schema: JsonObject) {
  const tool = { name: "t", inputSchema: schema, raw: { name: "t", inputSchema: schema } };
  return fitting(readArguments(words) as ArgumentPart[], tool);
}

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", properties, ...more };
}

test.each([
  ["a=x", object({ a: { type: "string" } }), { a: "x" }],
  ["a=7", object({ a: { type: "string" } }), { a: "7" }],
  ["a=7", object({ a: { type: "integer" } }), { a: 7 }],
  ["a=7.5", object({ a: { type: "number" } }), { a: 7.5 }],
  ["a=true", object({ a: { type: "boolean" } }), { a: true }],
  ["a=b", object({ a: { type: "string", enum: ["a", "b"] } }), { a: "b" }],
  ["a:=[1]", object({ a: { type: "array", items: { type: "integer" } } }), { a: [1] }],
  ['{"a":null}', object({ a: { type: "null" } }), { a: null }],
])("%s is plain by %j", (word, schema, expected) => {
  expect(plain([word], schema)).toEqual(expected);
});

test.each([
  ["a=x", object({ a: { type: "integer" } })],
  ["a=7.5", object({ a: { type: "integer" } })],
  ["a=12345678901234567890", object({ a: { type: "integer" } })],
  ["a=c", object({ a: { type: "string", enum: ["a", "b"] } })],
  ["a=[1]", object({ a: { type: "string" } })],
  ["a=x", object({ a: {} })],
  ["a=x", object({ a: { type: ["string", "null"] } })],
  ["b=x", object({ a: { type: "string" } })],
  ["a=x", object({ a: { type: "string" } }, { required: ["b"] })],
  ["a=7", object({ a: { type: "integer" } }, { allOf: [object({ a: { type: "string" } })] })],
  ['{"__proto__":{"a":1}}', object({})],
  ["__proto__=x", JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')],
])("%s is left to the host by %j", (word, schema) => {
  expect(plain([word], schema)).toBeUndefined();
});

const texts = fc.constantFrom(
  "",
  "x",
  "7",
  "-0",
  "1e3",
  "7.50",
  "1e400",
  "true",
  "null",
  '"x"',
  "[1]",
  "{}",
  " 7 ",
  "9007199254740993",
  "NaN",
);
const types = fc.constantFrom(
  "string",
  "integer",
  "number",
  "boolean",
  "null",
  "array",
  "object",
  "odd",
);
const property = fc.record(
  {
    type: fc.oneof(types, fc.uniqueArray(types, { maxLength: 3 })),
    enum: fc.array(fc.constantFrom<string | number | boolean | null>("x", 7, true, null), {
      maxLength: 3,
    }),
    const: fc.constantFrom("x", 7),
    description: fc.constant("d"),
    anyOf: fc.constant([{ type: "string" }]),
    $ref: fc.constant("#/properties/b"),
  },
  { requiredKeys: [] },
);
const schema = fc.record(
  {
    type: fc.constant("object"),
    properties: fc.record({ a: property, b: property }, { requiredKeys: [] }),
    required: fc.constant(["a"]),
    additionalProperties: fc.boolean(),
    patternProperties: fc.constant({ "^a": { type: "string" } }),
    allOf: fc.constant([{ properties: { a: { type: "string" } } }]),
  },
  { requiredKeys: ["type"] },
);

test("what is plain is what the host makes of it", () => {
  const words = fc.array(
    fc.tuple(fc.constantFrom("a=", "b=", "c="), texts).map((parts) => parts.join("")),
    { maxLength: 3 },
  );
  fc.assert(
    fc.property(words, schema, (given, root) => {
      const args = plain(given, root as unknown as JsonObject);
      if (args === undefined) return;
      const expected = fitArguments(
        readArguments(given) as ArgumentPart[],
        root as unknown as JsonObject,
      );
      expect(JSON.stringify(args)).toBe(JSON.stringify(expected));
    }),
    { numRuns: 5000 },
  );
});
