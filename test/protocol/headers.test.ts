/** The headers of modern requests: which there are, how values are written, which schemas break the rules. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { argumentHeaders, headerFault } from "../../lib/protocol/argument-headers.ts";
import { encodeHeaderValue, modernHeaders } from "../../lib/protocol/headers.ts";

const _meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28" };
const request = (method: string, params: JsonObject = {}) =>
  ({ jsonrpc: "2.0", id: 1, method, params: { _meta, ...params } }) as const;

test.each([
  ["tools/call", { name: "echo" }, "echo"],
  ["prompts/get", { name: "hello" }, "hello"],
  ["resources/read", { uri: "file:///a b" }, "file:///a b"],
  ["tasks/get", { taskId: "t1" }, "t1"],
  ["tasks/cancel", { taskId: "t1" }, "t1"],
  ["tools/list", { name: "no" }, undefined],
  ["toString", { name: "no" }, undefined],
  ["tools/call", { name: 7 }, undefined],
])("the headers of %s %j", (method, params, name) => {
  expect(modernHeaders(request(method, params))).toEqual({
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": method,
    ...(name !== undefined && { "Mcp-Name": name }),
  });
});

test("what is not modern has none", () => {
  expect(modernHeaders({ jsonrpc: "2.0", id: 1, method: "tools/list" })).toEqual({});
  expect(modernHeaders({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })).toEqual({});
  expect(modernHeaders({ jsonrpc: "2.0", id: 1, result: {} })).toEqual({});
});

// B059
test.each([
  ["echo", "echo"],
  ["two words", "two words"],
  ["a\ttab", "=?base64?YQl0YWI=?="],
  ["", "=?base64??="],
  [" padded", "=?base64?IHBhZGRlZA==?="],
  ["padded ", "=?base64?cGFkZGVkIA==?="],
  ["Grüße", "=?base64?R3LDvMOfZQ==?="],
  ["a\r\nX-Evil: 1", "=?base64?YQ0KWC1FdmlsOiAx?="],
  ["del\u007f", "=?base64?ZGVsfw==?="],
  ["=?base64?QQ==?=", "=?base64?PT9iYXNlNjQ/UVE9PT89?="],
  ["=?base64?open", "=?base64?open"],
  ["=?BASE64?QQ==?=", "=?BASE64?QQ==?="],
])("%j is written as %j", (value, written) => {
  expect(encodeHeaderValue(value)).toBe(written);
  expect(new Headers({ "Mcp-Name": written }).get("mcp-name")).toBe(written);
});

const paramHeaders = (inputSchema: JsonObject, args: JsonObject) =>
  argumentHeaders(inputSchema)?.(args) ?? {};

const schema = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: "object",
  properties,
  ...rest,
});

test("arguments that are asked for become headers", () => {
  const inputSchema = schema({
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry" },
    none: { type: "string", "x-mcp-header": "None" },
    absent: { type: "string", "x-mcp-header": "Absent" },
    odd: { type: "string", "x-mcp-header": "Odd" },
    large: { type: "integer", "x-mcp-header": "Large" },
    plain: { type: "string" },
    inner: schema({ items: { type: "string", "x-mcp-header": "Inner" } }),
  });
  const args = {
    region: "eu",
    count: -3,
    dry: false,
    none: null,
    odd: { a: 1 },
    large: JSON.rawJSON("9007199254740993") as unknown as JsonObject,
    plain: "x",
    inner: { items: "ü" },
  };
  expect(headerFault(inputSchema)).toBeUndefined();
  expect(paramHeaders(inputSchema, args)).toEqual({
    "Mcp-Param-Region": "eu",
    "Mcp-Param-Count": "-3",
    "Mcp-Param-Dry": "false",
    "Mcp-Param-Inner": "=?base64?w7w=?=",
  });
});

test("names like those of prototypes are names like others", () => {
  const properties = JSON.parse('{"__proto__":{"type":"string","x-mcp-header":"P"}}');
  expect(paramHeaders(schema(properties), {})).toEqual({});
  expect(paramHeaders(schema(properties), JSON.parse('{"__proto__":"x"}'))).toEqual({
    "Mcp-Param-P": "x",
  });
});

const annotated = { type: "string", "x-mcp-header": "X" };
test.each<[string, JsonObject, RegExp]>([
  ["an empty name", schema({ a: { type: "string", "x-mcp-header": "" } }), /at "a" is not a name/],
  ["no text", schema({ a: { type: "string", "x-mcp-header": 5 } }), /is not a name/],
  ["a space", schema({ a: { type: "string", "x-mcp-header": "a b" } }), /not a name of a header/],
  ["a line end", schema({ a: { type: "string", "x-mcp-header": "a\r\n" } }), /not a name of a/],
  ["a number", schema({ a: { type: "number", "x-mcp-header": "X" } }), /not on a string, an int/],
  ["an object", schema({ a: { type: "object", "x-mcp-header": "X" } }), /not on a string/],
  ["two types", schema({ a: { type: ["string", "null"], "x-mcp-header": "X" } }), /not on a str/],
  ["no type", schema({ a: { "x-mcp-header": "X" } }), /not on a string/],
  ["twice", schema({ a: annotated, b: { type: "string", "x-mcp-header": "x" } }), /is there twice/],
  ["the root", { type: "object", "x-mcp-header": "X" }, /at the root/],
  ["items", schema({ a: { type: "array", items: annotated } }), /by properties alone/],
  ["anyOf", schema({ a: { anyOf: [annotated] } }), /by properties alone/],
  ["below anyOf", { anyOf: [schema({ a: annotated })] }, /by properties alone/],
  ["else", schema({}, { if: {}, else: schema({ a: annotated }) }), /by properties alone/],
  ["$defs", schema({}, { $defs: { a: annotated } }), /by properties alone/],
  ["below $defs", schema({}, { $defs: { a: schema({ b: annotated }) } }), /by properties alone/],
  ["patterns", schema({}, { patternProperties: { "^a": annotated } }), /by properties alone/],
])("a tool is not usable over HTTP for %s", (_, inputSchema, words) => {
  expect(headerFault(inputSchema)).toMatch(words);
  expect(paramHeaders(inputSchema, { a: "x" })).toEqual({});
});

test("a property that is called like a keyword is a property", () => {
  expect(headerFault(schema({ items: annotated }))).toBeUndefined();
  expect(headerFault(schema({ "x-mcp-header": { type: "string" } }))).toBeUndefined();
});
