import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { checkSchema, type SchemaCache, type SchemaVerdict } from "../../lib/base/schema.ts";

/** `ok`, the problems as `path: message`, or `unchecked: reason`. */
async function verdict(schema: JsonObject, value: Json): Promise<string> {
  return words(await checkSchema(schema, value));
}

function words(result: SchemaVerdict): string {
  if (result.ok === true) return "ok";
  if (result.ok === "unchecked") return `unchecked: ${result.reason}`;
  return result.problems.map((problem) => `${problem.path}: ${problem.message}`).join("\n");
}

const properties = (known: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: known,
  ...more,
});

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
    [{ exclusiveMinimum: true }, 5, 'unchecked: # has a "exclusiveMinimum" that is no number'],
  ])("%j over %j", async (schema, value, expected) => {
    expect(await verdict(schema, value)).toBe(expected);
  });
});

describe("references", () => {
  const linked = properties(
    {
      a: { type: "array", items: { type: "integer" } },
      byProperty: { $ref: "#/properties/a/items" },
      byDefinition: { $ref: "#/definitions/X" },
      odd: { $ref: "#/$defs/a~1b" },
      child: { $ref: "#" },
    },
    { definitions: { X: { type: "string" } }, $defs: { "a/b": { type: "boolean" } } },
  );
  test.each<[Json, string]>([
    [{ byProperty: 1, byDefinition: "x", odd: true, child: { child: { odd: false } } }, "ok"],
    [{ byProperty: "x" }, '/byProperty: expected integer, got "x"'],
    [{ byDefinition: 1 }, "/byDefinition: expected string, got 1"],
    [{ odd: 1 }, "/odd: expected boolean, got 1"],
    [{ child: { child: { odd: 1 } } }, "/child/child/odd: expected boolean, got 1"],
  ])("%j", async (value, expected) => {
    expect(await verdict(linked, value)).toBe(expected);
  });

  test.each(["#/$defs/missing", "https://example.invalid/s.json", "other.json#/a", "#/%"])(
    "%s, which leads nowhere, matters only where a value reaches it, and is never fetched",
    async ($ref) => {
      const schema = properties({ a: { $ref }, b: { type: "integer" } });
      expect(await verdict(schema, { b: 1 })).toBe("ok");
      expect(await verdict(schema, { a: 1 })).toBe(
        `unchecked: its reference ${$ref} leads nowhere`,
      );
    },
  );

  test("by name: the problem says what was expected at the anchor", async () => {
    const schema = properties(
      { a: { $ref: "#n" } },
      { $defs: { n: { $anchor: "n", type: "integer" } } },
    );
    expect(await verdict(schema, { a: 1 })).toBe("ok");
    expect(await verdict(schema, { a: "x" })).toBe('/a: expected integer, got "x"');
  });

  test("by $id: the problem says what was expected there", async () => {
    const node = { $id: "Node", properties: { n: { type: "integer" }, next: { $ref: "Node" } } };
    const schema = properties({ root: node, other: { $ref: "Node" } });
    expect(await verdict(schema, { root: { n: 1, next: { n: 2 } }, other: { n: 3 } })).toBe("ok");
    expect(await verdict(schema, { root: { next: { n: "x" } } })).toBe(
      '/root/next/n: expected integer, got "x"',
    );
    expect(await verdict(schema, { other: { n: "x" } })).toBe(
      '/other/n: expected integer, got "x"',
    );
  });

  test.each<JsonObject>([
    { $ref: "#node" },
    { $dynamicRef: "#node" },
    { $dynamicRef: "#/$defs/n", allOf: [{ minProperties: 0 }] },
  ])(
    "to an anchor that may be another one elsewhere, in a schema of one part: %j",
    async (link) => {
      const n = { $dynamicAnchor: "node", properties: { id: { type: "integer" }, next: link } };
      const schema = properties({ root: link }, { $defs: { n } });
      expect(await verdict(schema, { root: { next: { id: 1 } } })).toBe("ok");
      expect(await verdict(schema, { root: { next: { id: "x" } } })).toBe(
        '/root/next/id: expected integer, got "x"',
      );
    },
  );

  test.each([{}, { $schema: "http://json-schema.org/draft-07/schema#" }])(
    "an id names nothing but in draft-04: references below it are found, by %j",
    async (dialect: JsonObject) => {
      // As zod 4.0 writes a schema that was given an id.
      const $defs = {
        Point: { id: "Point", properties: { x: { type: "integer" } } },
        Line: { id: "Line", properties: { from: { $ref: "#/$defs/Point" } } },
      };
      const schema = properties({ line: { $ref: "#/$defs/Line" } }, { ...dialect, $defs });
      expect(await verdict(schema, { line: { from: { x: 1 } } })).toBe("ok");
      expect(await verdict(schema, { line: { from: { x: "y" } } })).toBe(
        '/line/from/x: expected integer, got "y"',
      );
    },
  );

  test("an id in what others note of a schema names nothing", async () => {
    const noted = { type: "integer", "x-view": { id: "f" }, example: [{ id: "f" }] };
    const schema = properties({ a: noted, b: noted, id: { const: { id: "f" } } });
    expect(await verdict(schema, { a: 1, b: 1, id: { id: "f" } })).toBe("ok");
    expect(await verdict(schema, { a: "x" })).toBe('/a: expected integer, got "x"');
    expect(await verdict(schema, { id: {} })).toStartWith("/id: expected");
  });

  test("in draft-07 an $id beside a reference is none", async () => {
    const schema = properties(
      { a: { $id: "other/", $ref: "x.json" } },
      {
        $schema: "http://json-schema.org/draft-07/schema#",
        $id: "http://example.invalid/s/",
        definitions: {
          x: { $id: "x.json", type: "integer" },
          y: { $id: "other/x.json", type: "string" },
        },
      },
    );
    expect(await verdict(schema, { a: 1 })).toBe("ok");
    expect(await verdict(schema, { a: "x" })).not.toBe("ok");
  });

  test("one that leads to itself ends", async () => {
    expect(await verdict({ $ref: "#" }, {})).toBe(
      "unchecked: it or the value is nested too deeply",
    );
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
  ])("%j with %j: %s", async (schema, value, expected) => {
    expect(await verdict(schema, value)).toStartWith(expected);
  });

  test.each([
    String.raw`(?i)^abc$`,
    String.raw`^(?P<year>\d{4})\Z`,
    String.raw`^\d{4}\-\d\d$`,
    "[[:alpha:]]+",
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

describe("bounds", () => {
  test("a schema of 5,000 levels", async () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 5000; i++) schema = { properties: { a: schema }, minProperties: 0 };
    expect(await verdict(schema, {})).toBe("unchecked: it is nested too deeply");
  });

  test("a schema of 300 levels", async () => {
    let schema: JsonObject = {};
    for (let i = 0; i < 300; i++) schema = { not: schema };
    expect(await verdict(schema, {})).toEndWith("is nested more than 200 levels deep");
  });

  test("a value of 100,000 levels", async () => {
    let value: Json = {};
    for (let i = 0; i < 100_000; i++) value = { a: value };
    expect(await verdict(properties({ a: { $ref: "#" } }), value)).toBe(
      "unchecked: the value is nested more than 1000 levels deep",
    );
  });

  test("a schema that is too long", async () => {
    const result = await checkSchema({ $comment: "x".repeat(1000) }, {}, { schemaBytesMax: 500 });
    expect(words(result)).toBe("unchecked: it is longer than 500 bytes");
  });

  test("a pattern that takes for ever is given up, and we go on meanwhile", async () => {
    const schema = properties({ a: { pattern: "^(([a-z])+.)+[A-Z]([a-z])+$" } });
    let turns = 0;
    const ticking = setInterval(() => turns++, 10);
    const result = await checkSchema(schema, { a: "a".repeat(60) }, { timeLimitMs: 300 });
    clearInterval(ticking);
    expect(result.ok).toBe("unchecked");
    expect(turns).toBeGreaterThan(3);
  });

  test("many equal-looking references are checked under the limit too", async () => {
    const $defs: JsonObject = { d0: { type: "integer" } };
    for (let i = 1; i < 40; i++)
      $defs[`d${i}`] = { allOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
    const result = await checkSchema({ $defs, $ref: "#/$defs/d39" }, 1, { timeLimitMs: 200 });
    expect(result).toEqual({ ok: "unchecked", reason: "checking took longer than 200 ms" });
  });
});

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
