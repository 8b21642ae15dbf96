/** JSON Schema checks: patterns, numbers, keys and formats, and the schema itself, which stays as it was. */
import { expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema, type SchemaCache } from "../../lib/base/schema.ts";
import { properties, verdict } from "./schema-kit.ts";

test("patterns, plain ones here and others in the worker, are checked", async () => {
  for (const pattern of ["^[a-c]+$", "^(a|b|c)+$"]) {
    const schema = properties({ a: { pattern } });
    expect(await verdict(schema, { a: "abc" })).toBe("ok");
    expect(await verdict(schema, { a: "d" })).toBe(
      `/a: expected a text that matches ${pattern}, got "d"`,
    );
  }
});

test.each(["^a", "^(a|b)+$"])(
  "a number is told of as it was given, beside the pattern %s",
  async (pattern) => {
    const a = JSON.rawJSON("9007199254740993") as unknown as Json;
    const schema = properties({ a: { type: "string", pattern } });
    expect(await verdict(schema, { a })).toBe("/a: expected string, got 9007199254740993");
  },
);

test("numbers kept by their digits count as numbers, in schema and value", async () => {
  const big = JSON.rawJSON("12345678901234567890") as unknown as Json;
  expect(await verdict(properties({ a: { type: "integer", maximum: big } }), { a: big })).toBe(
    "ok",
  );
  expect(await verdict(properties({ a: { type: "string" } }), { a: big })).toStartWith(
    "/a: expected string, got 12345678901234567890",
  );
});

test("keys that prototypes have are keys like any other", async () => {
  const schema = JSON.parse(
    '{"properties":{"__proto__":{"type":"integer"},"constructor":{"type":"integer"}},"additionalProperties":false}',
  ) as JsonObject;
  expect(await verdict(schema, {})).toBe("ok");
  expect(await verdict(schema, { constructor: "x" as Json } as JsonObject)).toBe(
    '/constructor: expected integer, got "x"',
  );
  expect(
    await verdict({ additionalProperties: false }, {
      toString: 1 as Json,
    } as unknown as JsonObject),
  ).toBe("/toString: is not allowed here");
});

test("the schema that was given is left as it was, and is made ready once", async () => {
  const schema = Object.freeze(properties({ a: Object.freeze({ type: "integer" }) }));
  const cache: SchemaCache = new WeakMap();
  expect((await checkSchema(schema, { a: "y" }, { cache })).ok).toBe(false);
  const ready = cache.get(schema);
  expect((await checkSchema(schema, { a: "x" }, { cache })).ok).toBe(false);
  expect(cache.get(schema)).toBe(ready!);
});

test("a format annotates: it refuses nothing, wherever it stands", async () => {
  const uuid = { type: "string", format: "uuid", minLength: 1 };
  expect(await verdict(properties({ a: uuid }), { a: "x" })).toBe("ok");
  expect(await verdict(properties({ a: { anyOf: [uuid] } }), { a: "x" })).toBe("ok");
  const components = { schemas: { uuid } };
  const linked = properties({ a: { $ref: "#/components/schemas/uuid" } }, { components });
  expect(await verdict(linked, { a: "x" })).toBe("ok");
  const dependencies = { a: { properties: { a: uuid } }, b: ["a"] };
  expect(await verdict({ dependencies }, { a: "x" })).toBe("ok");
  expect(
    await verdict(properties({ format: { type: "integer", minimum: 1 } }), { format: 0 }),
  ).not.toBe("ok");
});
