/** `/openapi.json`: valid by another's parser, whatever servers list. */
import { expect, test } from "bun:test";

import { Validator } from "@cfworker/json-schema";
import { dereference } from "@readme/openapi-parser";

import type { Json } from "../../lib/base/json.ts";
import { everything } from "./everything.ts";
import { serveOver } from "./kit.ts";
import { docOf, expectValid, toolOf } from "./openapi-kit.ts";
import { jsonOf } from "./rest-kit.ts";

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

test("a thousand tools make one valid document", async () => {
  const tools = Array.from({ length: 1000 }, (_, i) =>
    toolOf(`t${i}`, { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: { type: "number" } } }),
  );
  const document = docOf(tools);
  expect(Object.keys(document.paths)).toHaveLength(1000);
  await expectValid(document);
});
