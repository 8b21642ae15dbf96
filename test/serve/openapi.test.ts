/** `/openapi.json`: valid by another's parser, whatever servers list; schemas check what they checked before. */
import { expect, test } from "bun:test";

import { Validator } from "@cfworker/json-schema";
import { dereference, validate } from "@readme/openapi-parser";

import type { Json, JsonObject } from "../../lib/base/json.ts";
import type { HostTool } from "../../lib/host/types.ts";
import { documentOf } from "../../lib/serve/openapi-document.ts";
import { embedSchema } from "../../lib/serve/openapi-schema.ts";
import { everything } from "./everything.ts";
import { serveOver } from "./kit.ts";

/** The parser changes what it is given, and takes no prototype tricks: it gets the text, parsed anew. */
async function expectValid(document: unknown): Promise<void> {
  const found = await validate(JSON.parse(JSON.stringify(document)));
  expect(found).toMatchObject({ valid: true });
}

function toolOf(name: string, inputSchema: JsonObject, more: Partial<HostTool> = {}): HostTool {
  return { name: `s_${name}`, server: "s", tool: name, inputSchema, ...more };
}

function docOf(tools: HostTool[]): any {
  const options = { url: "http://127.0.0.1:3003", hasToken: false, policies: [] };
  return documentOf(tools, options);
}

async function jsonOf(answer: Response): Promise<any> {
  return await answer.json();
}

/** Whether a value passes the schema at its place in the document. */
function passes(schema: JsonObject, value: Json): boolean {
  const components = { schemas: { X: embedSchema(schema, "#/components/schemas/X") } };
  const root = { $ref: "#/components/schemas/X", components };
  return new Validator(root as never, "2020-12").validate(value).valid;
}

test("server-everything: valid, and each path answers as it says", async () => {
  await using kit = serveOver({ everything: { ...everything, prefix: "everything_" } });
  const document = await jsonOf(await kit.ask("/openapi.json"));
  await expectValid(document);
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: { title: "mcphost" },
    servers: [{ url: kit.served.url }],
    security: [{}, { token: [] }],
    tags: [{ name: "everything" }],
  });
  const { post } = document.paths["/tools/everything_get-sum"];
  expect(post).toMatchObject({
    operationId: "everything_get-sum",
    summary: "Get Sum Tool",
    "x-mcp": { server: "everything", tool: "get-sum" },
    "x-policy": { do: "allow" },
  });
  const tools = await jsonOf(await kit.ask("/tools"));
  expect(Object.keys(document.paths)).toEqual(tools.map((tool: any) => `/tools/${tool.tool}`));
  const whole = (await dereference(document)) as any;
  const operation = whole.paths["/tools/everything_get-structured-content"].post;
  const body = operation.requestBody.content["application/json"].schema;
  expect(body.properties.location.enum).toContain("Chicago");
  const answer = await kit.ask("/tools/everything_get-structured-content", {
    json: { location: "Chicago" },
  });
  const result = (await answer.json()) as Json;
  const { schema } = operation.responses["200"].content["application/json"];
  expect(new Validator(schema, "2020-12").validate(result)).toMatchObject({ valid: true });
  expect(schema.allOf[1].properties.structuredContent.required).toContain("temperature");
});

test("it shows each caller what they may see, and asks for the token that it was asked with", async () => {
  const tools = [
    { name: "read", inputSchema: {} },
    { name: "write", inputSchema: {} },
  ];
  await using kit = serveOver(
    { s: { prefix: "s_", tools } },
    { tokens: [{ name: "ci", token: "secret", tools: ["read"] }] },
  );
  const document = await jsonOf(await kit.ask("/openapi.json", { token: "secret" }));
  expect(Object.keys(document.paths)).toEqual(["/tools/s_read"]);
  expect(document.security).toEqual([{ token: [] }]);
  expect(JSON.stringify(document)).not.toContain("secret");
  await expectValid(document);
});

test("names of any kind: paths that lead back, operation ids that are valid and unique", async () => {
  const names = [
    "a/b",
    "a b",
    "a_b",
    "{x}",
    "é",
    "%2F",
    "",
    ".",
    "..",
    "__proto__",
    "x".repeat(80),
  ];
  const tools = names.map((name) => ({ ...toolOf(name, {}), name }));
  const document = docOf([...tools, { ...toolOf("lone", {}), name: "\ud800" }]);
  await expectValid(document);
  expect(document["x-omitted"]).toEqual(["", ".", "..", "\ud800"]);
  const paths = Object.keys(document.paths);
  expect(paths.map((path) => decodeURIComponent(path.slice("/tools/".length)))).toEqual(
    names.filter((name) => !["", ".", ".."].includes(name)),
  );
  const ids = paths.map((path) => document.paths[path].post.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  expect(ids[2]).toBe("a_b");
  // The same names give the same ids.
  expect(docOf(tools).paths["/tools/a%2Fb"].post.operationId).toBe(ids[0]);
});

test("an odd name is called by the path that the document has", async () => {
  const name = "a/b {é}%?#";
  await using kit = serveOver({ s: { tools: [{ name, inputSchema: {} }] } });
  const document = await jsonOf(await kit.ask("/openapi.json"));
  const [path = ""] = Object.keys(document.paths);
  expect(decodeURIComponent(path)).toBe(`/tools/${name}`);
  const answer = await kit.ask(path, { json: { x: 1 } });
  expect(await answer.json()).toEqual({ content: [{ type: "text", text: '{"x":1}' }] });
});

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

test("a thousand tools make one valid document", async () => {
  const tools = Array.from({ length: 1000 }, (_, i) =>
    toolOf(`t${i}`, { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "number" } } }),
  );
  const document = docOf(tools);
  expect(Object.keys(document.paths)).toHaveLength(1000);
  await expectValid(document);
});
