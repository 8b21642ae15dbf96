/** The forms of elicitation as data: kinds of fields, what fits them, defaults. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { faultOf } from "../../lib/protocol/form-values.ts";
import { faultsOf, readForm, withDefaults } from "../../lib/protocol/form.ts";

const field = (schema: JsonObject) =>
  readForm({ type: "object", properties: { a: schema } })[0] ?? { kind: "other" as const };

describe("kinds", () => {
  test.each<[JsonObject, object]>([
    [{ type: "string" }, { kind: "text" }],
    [
      { type: "string", format: "date-time", minLength: 1, maxLength: 9 },
      { kind: "text", format: "date-time", minLength: 1, maxLength: 9 },
    ],
    [{ type: "string", format: "hostname" }, { kind: "text" }],
    [
      { type: "number", minimum: 0 },
      { kind: "number", isInteger: false, minimum: 0 },
    ],
    [
      { type: "integer", maximum: 0 },
      { kind: "number", isInteger: true, maximum: 0 },
    ],
    [{ type: "boolean" }, { kind: "boolean" }],
    [
      { type: "string", enum: ["a", "b"], enumNames: ["A"] },
      {
        kind: "choice",
        choices: [
          { value: "a", title: "A" },
          { value: "b", title: "b" },
        ],
      },
    ],
    [
      { type: "string", oneOf: [{ const: "a", title: "A" }] },
      { kind: "choice", choices: [{ value: "a", title: "A" }] },
    ],
    [
      { type: "array", items: { type: "string", enum: ["a"] }, minItems: 1, maxItems: 2 },
      { kind: "choices", choices: [{ value: "a", title: "a" }], minItems: 1, maxItems: 2 },
    ],
    [
      { type: "array", items: { anyOf: [{ const: "a", title: "A" }] } },
      { kind: "choices", choices: [{ value: "a", title: "A" }] },
    ],
    // What no form has, and what is malformed, is left to the schema itself.
    [{ type: "object" }, { kind: "other" }],
    [{ type: "array", items: { type: "string" } }, { kind: "other" }],
    [{ type: "string", enum: [] }, { kind: "text" }],
    [{ enum: [1, 2] }, { kind: "other" }],
    [{}, { kind: "other" }],
  ])("%j", (schema, kind) => {
    const { key: _, isRequired: __, schema: ___, ...rest } = field(schema) as any;
    expect(rest).toEqual(kind);
  });

  test("title, description, whether it is required; a default only where it fits", () => {
    const form = readForm({
      properties: {
        a: { type: "string", title: "A", description: "d", default: "x" },
        b: { type: "integer", default: 1.5 },
        c: { type: "boolean", title: 7, default: false },
        d: null,
      },
      required: ["b"],
    });
    expect(form).toMatchObject([
      { key: "a", title: "A", description: "d", default: "x", isRequired: false },
      { key: "b", isRequired: true },
      { key: "c", default: false },
      { key: "d", kind: "other" },
    ]);
    expect(form[1]).not.toHaveProperty("default");
    expect(form[2]).not.toHaveProperty("title");
  });

  test.each<[Json | undefined]>([[undefined], [null], [[]], [{}], [{ properties: [] }], ["x"]])(
    "%j has no fields",
    (schema) => {
      expect(readForm(schema)).toEqual([]);
    },
  );
});

describe("values", () => {
  const two = { type: "string", enum: ["a", "b"] };
  const many = { type: "array", items: two, minItems: 1, maxItems: 1 };

  test.each<[JsonObject, Json[], Json[]]>([
    [{ type: "string" }, ["", "x"], [1, null, ["x"], {}]],
    // Characters are counted, not UTF-16 units.
    [{ type: "string", minLength: 2, maxLength: 2 }, ["ab", "👍👍"], ["👍", "abc", ""]],
    [
      { type: "string", format: "email" },
      ["a@b", "a.b+c@d.example"],
      ["", "a", "@b", "a@", "a b@c", "a@b@c"],
    ],
    [
      { type: "string", format: "uri" },
      ["https://a/", "urn:isbn:1", "mailto:a@b"],
      ["", "a", "//a", "/x", "https://", "https://a b"],
    ],
    [
      { type: "string", format: "date" },
      ["2024-02-29", "0001-01-01"],
      ["2023-02-29", "2024-1-1", "2024-01-01T00:00:00Z", "2024-13-01", ""],
    ],
    [
      { type: "string", format: "date-time" },
      ["2024-02-29T23:59:60Z", "2024-01-01t00:00:00.123+05:30"],
      ["2024-01-01", "2024-01-01T00:00:00", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z"],
    ],
    [{ type: "number", minimum: 0, maximum: 1.5 }, [0, 1.5, 0.1], [-0.1, 1.6, "1", true, null]],
    [{ type: "integer" }, [0, -3, 1e300], [1.5, "1"]],
    [{ type: "boolean" }, [true, false], [0, "true", null]],
    [two, ["a", "b"], ["c", "", 1, ["a"]]],
    [many, [["a"]], [[], ["a", "b"], ["c"], "a", [1]]],
    [{ type: "object" }, [{}, 1], []],
  ])("%j", (schema, good, bad) => {
    for (const value of good)
      expect([value, faultOf(field(schema), value)]).toEqual([value, undefined]);
    for (const value of bad)
      expect([value, typeof faultOf(field(schema), value)]).toEqual([value, "string"]);
  });

  test("a number of many digits is a number", () => {
    const value = JSON.rawJSON("12345678901234567890") as unknown as Json;
    expect(faultOf(field({ type: "integer" }), value)).toBeUndefined();
    expect(faultOf(field({ type: "integer", maximum: 5 }), value)).toBeString();
  });
});

describe("content", () => {
  const form = readForm(
    JSON.parse(
      `{"properties":{"a":{"type":"string"},"__proto__":{"type":"integer","default":1},"toString":{"type":"string"}},"required":["a","toString"]}`,
    ),
  );

  test("all that is wrong is told, and names meet no prototype", () => {
    expect(faultsOf(form, {})).toEqual(["a is missing", "toString is missing"]);
    expect(faultsOf(form, { a: 1, toString: "x" } as unknown as JsonObject)).toEqual([
      "a must be a text",
    ]);
  });

  test("defaults are own members, and what is there stays", () => {
    expect(Object.entries(withDefaults(form, { a: "x" }))).toEqual([
      ["a", "x"],
      ["__proto__", 1],
    ]);
    const given = JSON.parse('{"__proto__":5}') as JsonObject;
    expect(Object.entries(withDefaults(form, given))).toEqual([["__proto__", 5]]);
    expect(given).toEqual(JSON.parse('{"__proto__":5}'));
  });
});
