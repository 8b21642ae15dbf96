/** No schema and no value holds up the program, and what tools usually have needs no worker. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema, type SchemaCache } from "../../lib/base/schema.ts";

const properties = (known: JsonObject): JsonObject => ({ type: "object", properties: known });
const times = (count: number, make: (index: number) => Json): Json[] =>
  Array.from({ length: count }, (_, index) => make(index));
const list = (rule: JsonObject) => properties({ x: { type: "array", ...rule } });

describe("whatever takes long does not hold us up", () => {
  const nested = (levels: number): Json => (levels === 0 ? 1 : [nested(levels - 1)]);
  const twice = {
    anyOf: [{ items: { $ref: "#/$defs/a" } }, { items: { $ref: "#/$defs/a" }, minItems: 5 }],
  };
  const chain: JsonObject = { d0: { type: "integer" } };
  for (let i = 1; i < 26; i++)
    chain[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  const twins = { $id: "a", not: { $id: "b" } } as JsonObject;
  for (let i = 0, at = twins; i < 40; i++) at = at["not"] = { $id: `c${i}` } as JsonObject;
  test.each<[string, JsonObject, Json]>([
    [
      "branches that double",
      { $defs: { a: twice }, ...properties({ x: { $ref: "#/$defs/a" } }) },
      { x: nested(30) },
    ],
    ["references that double", { $defs: chain, $ref: "#/$defs/d25" }, 1],
    ["names that double", twins, 1],
    ["unique numbers", list({ uniqueItems: true }), { x: times(140_000, (i) => 100_000 + i) }],
    ["unique objects", list({ uniqueItems: true }), { x: times(60_000, (a) => ({ a })) }],
    [
      "a long enum",
      list({ items: { enum: times(60_000, (i) => `v${i}`) } }),
      { x: times(100_000, () => "z") },
    ],
    [
      "a long enum that fits",
      list({ items: { enum: times(60_000, (i) => `v${i}`) } }),
      { x: times(100_000, () => "v59999") },
    ],
    [
      "an enum of objects",
      list({ items: { enum: times(60_000, (a) => ({ a })) } }),
      { x: times(90_000, () => ({ a: -1 })) },
    ],
    [
      "contains",
      list({ allOf: times(5000, (i) => ({ contains: { const: i } })) }),
      { x: times(100_000, () => 1) },
    ],
    [
      "anyOf",
      list({ items: { anyOf: times(5000, (i) => ({ type: "string", minLength: i + 10 })) } }),
      { x: times(50_000, () => "a") },
    ],
    ["the same unions", { allOf: times(20_000, () => ({ anyOf: [{ type: "null" }] })) }, 1],
    [
      "patterns of keys",
      {
        patternProperties: Object.fromEntries(
          times(20_000, (i) => `a${String(i)}`).map((key) => [key, {}]),
        ) as JsonObject,
      },
      Object.fromEntries(
        times(50_000, (i) => `b${String(i)}`).map((key) => [key, 1]),
      ) as JsonObject,
    ],
    ["a plain pattern", properties({ x: { pattern: "a*b" } }), { x: "a".repeat(200_000) }],
    [
      "a pattern of choices",
      properties({ x: { pattern: `${"a?".repeat(40)}${"a".repeat(40)}` } }),
      { x: "a".repeat(39) },
    ],
    [
      "a long key over many parts",
      {
        properties: { ["k".repeat(400_000)]: { anyOf: times(100_000, () => ({})) } },
        minProperties: 1,
      },
      {},
    ],
  ])(
    "%s",
    async (_, schema, value) => {
      let longest = 0;
      let last = performance.now();
      const ticking = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      await checkSchema(schema, value, { timeLimitMs: 300 });
      clearInterval(ticking);
      // Generous for a busy machine: here each of them would take minutes.
      expect(longest).toBeLessThan(5000);
    },
    20_000,
  );
});

test("what tools usually have is checked here: a worker costs more than the check", async () => {
  const Place = {
    type: "object",
    properties: {
      name: { type: "string", minLength: 1, maxLength: 100, title: "Name" },
      kind: { anyOf: [{ enum: ["a", "b"], type: "string" }, { type: "null" }], default: null },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true },
      inner: { anyOf: [{ $ref: "#/$defs/Place" }, { type: "null" }], default: null },
    },
    required: ["name"],
    additionalProperties: false,
  };
  const schema = { $defs: { Place }, ...list({ items: { $ref: "#/$defs/Place" } }) };
  const place = { name: "x", kind: "a", tags: ["one", "two"] };
  const cache: SchemaCache = new WeakMap();
  const x = times(20, () => ({ ...place, inner: { ...place, inner: { ...place, inner: null } } }));
  expect(await checkSchema(schema, { x }, { cache })).toEqual({ ok: true });
  expect((await cache.get(schema))?.check).toBeDefined();
});
