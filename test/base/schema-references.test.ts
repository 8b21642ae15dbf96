/** JSON Schema checks: references by path, name and id, and those that lead nowhere. */
import { describe, expect, test } from "bun:test";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { properties, verdict } from "./schema-kit.ts";

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
