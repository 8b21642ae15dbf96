import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { signatureOf } from "../../lib/host/signature.ts";

test.each<[JsonObject, string]>([
  [{}, "t()"],
  [{ type: "object", properties: {} }, "t()"],
  [
    { properties: { n: { type: "integer" }, message: { type: "string" } }, required: ["message"] },
    "t(message: string, n?: integer)",
  ],
  [{ properties: { a: { type: "array", items: { type: "string" } } } }, "t(a?: string[])"],
  [{ properties: { a: { type: "array" } } }, "t(a?: array)"],
  [{ properties: { a: { type: "array", items: { enum: ["x", "y"] } } } }, 't(a?: ("x" | "y")[])'],
  [{ properties: { a: { enum: ["x", 1] } } }, 't(a?: "x" | 1)'],
  [{ properties: { a: { type: ["string", "null"] } } }, "t(a?: string | null)"],
  [
    { properties: { a: { anyOf: [{ type: "string" }, { type: "object" }] } } },
    "t(a?: string | object)",
  ],
  [{ properties: { a: {}, b: true, c: { $ref: "#/$defs/none" } } }, "t(a?: any, b?: any, c?: any)"],
  [{ properties: { a: { $ref: "#" } } }, "t(a?: any)"],
  [{ properties: { "odd key": { type: "null" } } }, 't("odd key"?: null)'],
  [
    {
      allOf: [{ $ref: "#/$defs/x" }],
      $defs: { x: { properties: { a: { const: 1 } }, required: ["a"] } },
    },
    "t(a: 1)",
  ],
  [
    {
      properties: { a: { $ref: "#n" }, b: { $ref: "#l" } },
      $defs: {
        n: { $anchor: "n", type: "integer" },
        l: { $anchor: "l", type: "array", items: { $ref: "#n" } },
      },
    },
    "t(a?: integer, b?: integer[])",
  ],
  [{ properties: [], required: "a" }, "t()"],
  [{ required: ["b", 5, "a"], properties: { a: { type: "null" } } }, "t(a: null, b: any)"],
  [
    {
      properties: { k: { type: "string" } },
      anyOf: [
        { properties: { a: { type: "integer" }, k: {} }, required: ["a"] },
        { $ref: "#/$defs/b" },
      ],
      $defs: { b: { properties: { b: { type: "boolean" } } } },
    },
    "t(k?: string, a?: integer, b?: boolean)",
  ],
  [
    {
      oneOf: [
        { properties: { k: { const: "x" }, n: { type: "integer" } }, required: ["k", "n"] },
        { properties: { k: { const: "y" }, s: { type: "string" } }, required: ["k", "s"] },
      ],
      required: ["k"],
    },
    't(k: "x" | "y", n?: integer, s?: string)',
  ],
  [
    {
      properties: { a: {} },
      if: { properties: { a: { const: 1 } } },
      else: { properties: { b: { type: "null" } } },
    },
    "t(a?: any, b?: null)",
  ],
])("%j", (schema, expected) => {
  expect(signatureOf("t", schema)).toBe(expected);
});

test("many arguments and many constants are cut", () => {
  const properties = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`p${i}`, {}]));
  expect(signatureOf("t", { properties })).toEndWith("p11?: any, …)");
  expect(signatureOf("t", { properties: { e: { enum: [1, 2, 3, 4, 5, 6, 7, 8] } } })).toBe(
    "t(e?: 1 | 2 | 3 | 4 | 5 | 6 | …)",
  );
});

test("an array of itself ends", () => {
  const node = { type: "array", items: { $ref: "#/properties/a" } };
  expect(signatureOf("t", { properties: { a: node } })).toBe("t(a?: array[][])");
});

test.each<[string, string]>([
  ["get-sum", "get-sum()"],
  ["files/read.v2", "files/read.v2()"],
  ["größe_日本", "größe_日本()"],
  ["", "()"],
  ["my tool", '"my tool"()'],
  ["a\nb(x: string)", String.raw`"a\nb(x: string)"()`],
  ["a\u2028b\u0085\u202e\u007f", String.raw`"a\u2028b\u0085\u202e\u007f"()`],
  ["\u{e0041}\ud800", String.raw`"\udb40\udc41\ud800"()`],
])("a name that is not plain is a JSON string: %j", (name, expected) => {
  expect(signatureOf(name, {})).toBe(expected);
});

test("names of arguments and constants stay on the line, too", () => {
  const properties = { "a\u2028": { enum: ["\u0085"] } };
  expect(signatureOf("t", { properties })).toBe(String.raw`t("a\u2028"?: "\u0085")`);
});
