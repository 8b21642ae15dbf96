/** JSON Schema checks: dialects, broken schemas, and what is clear although it is no JSON Schema. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema } from "../../lib/base/schema.ts";
import { properties, verdict } from "./schema-kit.ts";

describe("the dialect is what $schema says, else 2020-12", () => {
  const draft7 = "http://json-schema.org/draft-07/schema#";
  test.each<[JsonObject, Json, string]>([
    [{ prefixItems: [{ type: "string" }] }, [1], "/0: expected string, got 1"],
    [{ $schema: draft7, items: [{ type: "string" }] }, [1], "/0: expected string, got 1"],
    [
      { $schema: draft7, definitions: { X: { type: "null" } }, $ref: "#/definitions/X" },
      1,
      ": expected null, got 1",
    ],
    [
      { $schema: "http://json-schema.org/draft-04/schema#", minimum: 1, exclusiveMinimum: true },
      1,
      ": expected more than 1, got 1",
    ],
    [
      { $schema: draft7, dependencies: { a: ["b", "c"] } },
      { a: 1, c: 1 },
      ': instance has "a" but does not have "b"',
    ],
    [
      { $schema: draft7, dependencies: { a: { properties: { b: { type: "null" } } } } },
      { a: 1, b: 1 },
      "/b: expected null, got 1",
    ],
    [{ $schema: "https://json-schema.org/draft/2020-12/schema" }, { any: "thing" }, "ok"],
    [
      { $schema: "https://example.invalid/mine" },
      1,
      'unchecked: its dialect "https://example.invalid/mine" is not supported',
    ],
    [{ exclusiveMinimum: "1" }, 5, 'unchecked: # has a "exclusiveMinimum" that is no number'],
  ])("%j over %j", async (schema, value, expected) => {
    expect(await verdict(schema, value)).toBe(expected);
  });
});

describe("a broken schema refuses nothing", () => {
  test.each<[JsonObject, string]>([
    [{ type: "int" }, 'unchecked: # has the unknown type "int"'],
    [
      properties({ a: { type: "object" }, required: ["a"] }),
      "unchecked: #/properties/required is not a schema",
    ],
    [{ properties: ["a"] as Json }, 'unchecked: # has "properties" that are no object'],
    [properties({ a: { enum: "x" } }), 'unchecked: #/properties/a has an "enum" that is no list'],
    [{ anyOf: {} }, 'unchecked: # has an "anyOf" that is no list'],
    [{ required: true }, 'unchecked: # has a "required" that is no list of names'],
    [{ $dynamicRef: "#x" }, "unchecked: its reference #x leads nowhere"],
    [
      { $dynamicRef: "#x", $defs: { y: { $id: "y", $dynamicAnchor: "x" } } },
      'unchecked: it has a "$dynamicRef" and parts with an "$id", which is not supported',
    ],
    [
      properties({ a: { $ref: "#/parts/a" } }, { parts: { a: { type: "text" } } }),
      'unchecked: #/parts/a has the unknown type "text"',
    ],
  ])("%j", async (schema, expected) => {
    expect(await verdict(schema, { a: "x" })).toBe(expected);
  });
});

describe("what is clear although it is no JSON Schema", () => {
  const integer = { type: "integer" };

  test.each<[JsonObject, Json, string]>([
    // PHP has one word for the empty list and the empty object.
    [{ type: "object", properties: [], required: [] }, {}, "ok"],
    [{ properties: { a: integer }, $defs: [], patternProperties: [] }, { a: "x" }, "/a"],
    // A serializer that writes down what is absent.
    [{ properties: { a: integer }, required: null, enum: null, pattern: null }, { a: 1 }, "ok"],
    [{ properties: { a: { ...integer, enum: null, minimum: null } } }, { a: "x" }, "/a"],
    [{ properties: null, additionalProperties: null, items: null, allOf: null }, { a: 1 }, "ok"],
    [{ properties: { a: { const: null } } }, { a: 1 }, "/a"],
    [{ properties: { a: { type: null } } }, { a: 1 }, "ok"],
    // OpenAPI.
    [{ properties: { a: { type: "string", nullable: true } } }, { a: null }, "ok"],
    [{ properties: { a: { type: "string", nullable: false } } }, { a: null }, "/a"],
    [{ properties: { a: { type: "string", enum: ["x"], nullable: true } } }, { a: null }, "ok"],
    [{ properties: { a: { type: ["string"], nullable: true } } }, { a: 1 }, "/a"],
    [{ properties: { a: { minimum: 1, exclusiveMinimum: true } } }, { a: 1 }, "/a: expected more"],
    [{ properties: { a: { maximum: 1, exclusiveMaximum: false } } }, { a: 1 }, "ok"],
    [{ properties: { a: { exclusiveMaximum: true, type: "integer" } } }, { a: 9 }, "ok"],
    // Empty objects, and what is absent, once more.
    [{ properties: { a: [], b: integer } }, { a: "x", b: "y" }, "/b"],
    [{ properties: { a: integer }, additionalProperties: [] }, { a: "x", b: 1 }, "/a"],
    [{ properties: { a: { anyOf: [[], integer] } } }, { a: "x" }, "ok"],
    [{ $schema: null, properties: { a: integer } }, { a: "x" }, "/a"],
    [{ $schema: "", properties: { a: integer } }, { a: "x" }, "/a"],
    // Types by the words of others.
    [
      { type: "OBJECT", properties: { a: { type: "INTEGER" } } },
      { a: "x" },
      "/a: expected integer",
    ],
    [{ properties: { a: { type: "int" } } }, { a: 1.5 }, "/a: expected integer"],
    [{ properties: { a: { type: "float" }, b: { type: "str" } } }, { a: 1.5, b: "x" }, "ok"],
    [{ properties: { a: { type: "list", items: { type: "bool" } } } }, { a: [1] }, "/a/0"],
    [{ properties: { a: { type: ["dict", "null"] } } }, { a: 1 }, "/a"],
    [{ properties: { a: { type: "any" }, b: integer } }, { a: 1, b: "x" }, "/b"],
    // Values that are none of their type.
    [{ properties: { a: { ...integer, enum: ["1", "2"] } } }, { a: "1" }, "ok"],
    [
      { properties: { a: { ...integer, enum: ["1", "2"] } } },
      { a: "3" },
      '/a: expected one of "1"',
    ],
    [{ properties: { a: { type: "string", enum: [1, "x"] } } }, { a: 1 }, "/a"],
    [{ properties: { a: { enum: [] } } }, { a: 1 }, "/a: expected one of an empty list"],
  ])("%j with %j: %s", async (schema, value, expected) => {
    expect(await verdict(schema, value)).toStartWith(expected);
  });

  test.each([
    String.raw`(?i)^abc$`,
    String.raw`^(?P<year>\d{4})\Z`,
    String.raw`^\d{4}\-\d\d$`,
    "[[:alpha:]]+",
    "/^[a-z]+$/i",
    "(",
  ])("the pattern %s is not looked at, everything else is", async (pattern) => {
    const schema = properties({ a: { type: "string", pattern }, b: { type: "integer" } });
    const but = `the pattern ${pattern} is none in JavaScript`;
    expect(await checkSchema(schema, { a: "x" })).toEqual({ ok: true, but });
    expect(await verdict(schema, { a: "x", b: "y" })).toStartWith("/b");
    expect(await verdict(schema, { a: 1 })).toStartWith("/a");
    const names = { patternProperties: { [pattern]: { type: "integer" } } };
    const closed = { ...names, additionalProperties: false };
    expect(await checkSchema(closed, { a: "x" })).toEqual({ ok: true, but });
  });
});
