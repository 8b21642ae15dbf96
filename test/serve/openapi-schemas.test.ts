/** Schemas in `/openapi.json`: they check what they checked before, and hostile ones cost nobody the document. */
import { expect, test } from "bun:test";

import { Validator } from "@cfworker/json-schema";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import { embedSchema } from "../../lib/serve/openapi-schema.ts";
import { docOf, expectValid, toolOf } from "./openapi-kit.ts";

/** Whether a value passes the schema at its place in the document. */
function passes(schema: JsonObject, value: Json): boolean {
  const components = { schemas: { X: embedSchema(schema, "#/components/schemas/X") } };
  const root = { $ref: "#/components/schemas/X", components };
  return new Validator(root as never, "2020-12").validate(value).valid;
}

test.each<[string, JsonObject, Json, Json]>([
  [
    "$defs",
    { properties: { a: { $ref: "#/$defs/n~0/~1" } }, $defs: { "n~": { "/": { type: "number" } } } },
    { a: 1 },
    { a: "1" },
  ],
  [
    "definitions, a percent sign, a space and a hash in a name",
    {
      properties: { a: { $ref: "#/definitions/100%25%20%23" } },
      definitions: { "100% #": { type: "number" } },
    },
    { a: 1 },
    { a: "1" },
  ],
  [
    "the root, in a circle",
    { type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false },
    { next: { next: {} } },
    { next: { other: 1 } },
  ],
  [
    "$id and a reference by it",
    {
      $id: "https://example.org/root.json",
      $schema: "https://json-schema.org/draft/2020-12/schema",
      properties: { a: { $ref: "item.json" }, b: { $ref: "#/$defs/i/$defs/deep" } },
      $defs: {
        i: {
          $id: "item.json",
          $ref: "#/$defs/deep",
          $defs: { deep: { type: "integer" } },
        },
      },
    },
    { a: 1, b: 2 },
    { a: "x", b: 2 },
  ],
  [
    "anchors of both kinds",
    {
      properties: { a: { $ref: "#new" }, b: { $ref: "#old" } },
      $defs: { x: { $anchor: "new", type: "number" }, y: { $id: "#old", type: "string" } },
    },
    { a: 1, b: "s" },
    { a: 1, b: 2 },
  ],
  [
    "a dynamic reference",
    {
      $dynamicAnchor: "node",
      type: "object",
      properties: { child: { $dynamicRef: "#node" } },
    },
    { child: { child: {} } },
    { child: { child: 1 } },
  ],
  [
    "properties that are called as keywords are",
    {
      type: "object",
      properties: {
        $ref: { type: "string" },
        $id: { type: "number" },
        $schema: { type: "number" },
        default: { $ref: "#/$defs/n" },
        enum: { type: "number" },
      },
      $defs: { n: { type: "number" } },
    },
    { $ref: "x", $id: 1, $schema: 1, default: 1, enum: 1 },
    { default: "x" },
  ],
])("references lead where they led: %s", async (_what, schema, good, bad) => {
  await expectValid(docOf([toolOf("x", schema, { outputSchema: schema })]));
  expect(passes(schema, good)).toBe(true);
  expect(passes(schema, bad)).toBe(false);
});

const hostile: Record<string, JsonObject> = {
  elsewhere: {
    properties: { a: { $ref: "http://127.0.0.1:1/x.json" }, b: { $ref: "file:///etc/passwd" } },
  },
  file: { $ref: "../../../etc/passwd" },
  dangling: { properties: { a: { $ref: "#/$defs/none" }, b: { $ref: "#nowhere" } } },
  document: { properties: { a: { $ref: "#/components/schemas/Error" } } },
  itself: { $ref: "#" },
  circle: { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#/$defs/a" } } },
  notText: { $ref: 5, $id: 7, $anchor: {}, properties: { a: { $ref: { $ref: "#" } } } },
  odd: { type: 5, properties: [1, null], required: "a", items: null, allOf: {}, enum: 3 },
  nulls: { properties: { a: null, b: [null] }, $defs: null, anyOf: [null, true] },
  data: {
    properties: { a: { default: { $ref: "http://127.0.0.1:1/" }, enum: [{ $ref: "#/x" }] } },
    examples: [{ deep: [{ $ref: "file:///etc/passwd" }] }],
  },
  intoData: { properties: { a: { $ref: "#/default" } }, default: { $ref: "#/default" } },
  proto: JSON.parse(
    '{"properties":{"__proto__":{"$ref":"#/$defs/__proto__"},"constructor":{"type":"string"}},"$defs":{"__proto__":{"type":"number"}}}',
  ),
  arrays: { type: "array", properties: { a: { type: ["array", "null"] } } },
  lone: { properties: { a: { $ref: "#/$defs/\ud800" } }, $defs: { "\ud800": {} } },
  base: {
    $id: "http://[",
    $ref: "#/$defs/a",
    $defs: { a: { $id: "::::", $ref: "#/$defs/b" }, b: {} },
  },
  openapi: { discriminator: 5, xml: 5, externalDocs: 5, nullable: "x", example: { $ref: "x" } },
};

test.each(Object.entries(hostile))(
  "a hostile schema costs nobody the document: %s",
  async (name, schema) => {
    const good = toolOf("good", { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: {} } });
    const document = docOf([toolOf(name, schema, { outputSchema: schema }), good]);
    await expectValid(document);
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to!);
    expect(references.filter((to) => !to.startsWith("#/components/"))).toEqual([]);
    expect(document.components.schemas.s_good_input.properties.a.$ref).toBe(
      "#/components/schemas/s_good_input/$defs/a",
    );
  },
);

test.each([90, 490])("a schema of %d objects, one within another", async (levels) => {
  let schema: JsonObject = { type: "string" };
  for (let level = 0; level < levels; level++) schema = { properties: { a: schema } };
  const document = docOf([toolOf("deep", schema)]);
  await expectValid(document);
  expect("properties" in document.components.schemas.s_deep_input).toBe(levels === 90);
});
