import { expect, test } from "bun:test";

import { Validator } from "@cfworker/json-schema";
import * as fc from "fast-check";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { surelyFits } from "../../lib/base/schema-plain.ts";

const type = fc.constantFrom("string", "number", "integer", "boolean", "null", "array", "object");
const key = fc.constantFrom("a", "b", "__proto__");
const { schema } = fc.letrec<{ schema: JsonObject | boolean }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.boolean(),
    fc.record(
      {
        type: fc.oneof(type, fc.array(type, { minLength: 1, maxLength: 2 })),
        properties: fc.dictionary(key, tie("schema"), { maxKeys: 2 }),
        required: fc.uniqueArray(key, { maxLength: 2 }),
        additionalProperties: tie("schema"),
        items: tie("schema"),
        enum: fc.array(fc.constantFrom(null, 1, "x", true), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonObject>,
  ),
}));
const value = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>;
const object = fc.dictionary(key, value, { maxKeys: 2 });

test("what surely fits is what the validator takes too", () => {
  let fits = 0;
  fc.assert(
    fc.property(schema, fc.oneof(value, object), (given, tried) => {
      if (!surelyFits(given, tried)) return true;
      fits++;
      return new Validator(given as boolean, "2020-12").validate(tried).valid;
    }),
    { numRuns: 3000 },
  );
  expect(fits).toBeGreaterThan(100);
});

const object1 = { type: "object", properties: { a: { type: "integer" } }, required: ["a"] };
test.each<[unknown, Json, boolean]>([
  [object1, { a: 1, b: 2 }, true],
  [object1, { a: 1.5 }, false],
  [object1, {}, false],
  [{ ...object1, additionalProperties: false }, { a: 1, b: 2 }, false],
  [{ $schema: "http://json-schema.org/draft-07/schema#", ...object1 }, { a: 1 }, true],
  [{ $schema: "http://json-schema.org/draft-04/schema#", ...object1 }, { a: 1 }, false],
  [{ ...object1, minProperties: 1 }, { a: 1 }, false],
  [{ type: "object", properties: { a: { pattern: "x" } } }, { a: "x" }, false],
  [{ type: "integer" }, JSON.rawJSON("12345678901234567890") as Json, false],
  [{ items: { type: "string" } }, ["x", "y"], true],
  [{ type: "int" }, 1, false],
  [{ type: "string", format: "uuid" }, "x", true],
])("%j with %j: %p", (given, tried, fits) => {
  expect(surelyFits(given, tried)).toBe(fits);
});
