/** A tools/list result, good or bad: no odd tool costs another one. */
import { describe, expect, test } from "bun:test";

import { readTools } from "../../lib/protocol/tools.ts";

const object = { type: "object", properties: { a: { type: "string" } } };
const good = { name: "good", inputSchema: object };
const page = (description: string) => ({ tools: [{ ...good, description }] });
const read = (...tools: unknown[]) => readTools({ tools } as never);

test("a good tool is taken whole, without a word", () => {
  const raw = {
    name: "t",
    title: "T",
    description: "d",
    inputSchema: object,
    outputSchema: { type: "array" },
    annotations: { title: "A", readOnlyHint: true, destructiveHint: "no", x: 1 },
    _meta: { a: 1 },
  };
  expect(read(raw)).toEqual({
    tools: [
      {
        name: "t",
        title: "T",
        description: "d",
        inputSchema: object,
        outputSchema: { type: "array" },
        annotations: { title: "A", readOnlyHint: true, x: 1 },
        raw,
      },
    ],
    warnings: [],
  } as never);
});

test("null is absent", () => {
  const nothing = {
    title: null,
    description: null,
    annotations: null,
    outputSchema: null,
    _meta: null,
  };
  const { tools, warnings } = read({ ...good, ...nothing });
  expect(warnings).toEqual([]);
  expect(Object.keys(tools[0] ?? {})).toEqual(["name", "inputSchema", "raw"]);
  expect(readTools({ tools: null, nextCursor: null, _meta: null })).toEqual({
    tools: [],
    warnings: [],
  });
  expect(readTools({})).toEqual({ tools: [], warnings: [] });
});

test("a tool without a schema is a tool without arguments, and said", () => {
  const { tools, warnings } = read(
    { name: "a" },
    { name: "b", inputSchema: null },
    { name: "c", inputSchema: {} },
    good,
  );
  expect(tools.map((tool) => tool.inputSchema)).toEqual([{}, {}, {}, object]);
  expect(warnings).toHaveLength(3);
  for (const [index, name] of ["a", "b", "c"].entries())
    expect(warnings[index]).toContain(`"${name}"`);
});

describe("a bad schema is kept as it is, with a warning that names tool and reason", () => {
  const rows: [string, unknown, string][] = [
    ["type string", { type: "string" }, '"string"'],
    ["no type", { anyOf: [{ type: "object" }] }, "has no"],
    ["only $schema", { $schema: "http://json-schema.org/draft-07/schema#" }, "has no"],
    ["unknown type", { type: "int" }, '"int"'],
    [
      "required inside properties",
      { type: "object", properties: { a: {}, required: ["a"] } },
      '"required"',
    ],
    ["property type int", { type: "object", properties: { n: { type: "int" } } }, '"int"'],
    ["required no list", { type: "object", required: "a" }, "required"],
    ["properties a list", { type: "object", properties: ["a"] }, "properties"],
    ["enum no list", { type: "object", properties: { n: { enum: "a" } } }, "enum"],
  ];
  test.each(rows)("%s", (_, inputSchema, reason) => {
    const { tools, warnings } = read(good, { name: "bad", inputSchema });
    expect(tools.map((tool) => tool.inputSchema) as unknown[]).toEqual([object, inputSchema]);
    expect(warnings).toEqual([expect.stringContaining('tool "bad"')]);
    expect(warnings[0]).toContain(reason);
  });
});

test("a schema that is no object is left out, the tool is not", () => {
  for (const inputSchema of ["x", 5, [], true]) {
    const { tools, warnings } = read({ name: "bad", inputSchema });
    expect(tools).toMatchObject([{ name: "bad", inputSchema: {}, raw: { inputSchema } }]);
    expect(warnings).toHaveLength(1);
  }
});

test("properties of several types, booleans and references are in order", () => {
  const properties = {
    a: { type: ["string", "null"] },
    b: true,
    c: { $ref: "#/$defs/x" },
    __proto__: null,
  };
  expect(read({ name: "t", inputSchema: { type: "object", properties } }).warnings).toEqual([]);
});

test("entries that are no tools are left out, and said with their place", () => {
  const { tools, warnings } = read(null, "x", {}, { name: 5 }, good);
  expect(tools.map((tool) => tool.name)).toEqual(["good"]);
  expect(warnings).toHaveLength(4);
  expect(warnings[0]).toContain("entry 1");
});

test("of two tools with one name the first counts, over pages too", () => {
  const seen = new Set<string>();
  expect(readTools(page("one"), { seen }).tools).toHaveLength(1);
  const { tools, warnings } = readTools(page("two"), { seen });
  expect(tools).toEqual([]);
  expect(warnings).toEqual(['tool "good" is listed twice: the first one is used']);
});

test("odd names are names", () => {
  const names = ["a.b", "a/b", "a b", "ü", "__proto__", "constructor", "", "x".repeat(300)];
  const { tools, warnings } = read(...names.map((name) => ({ ...good, name })));
  expect(tools.map((tool) => tool.name)).toEqual(names);
  expect(warnings).toEqual([]);
});

test("schemas are bounded", () => {
  const large = { type: "object", description: "x".repeat(100) };
  const { tools, warnings } = readTools(
    { tools: [{ name: "t", inputSchema: large, outputSchema: large }, good] },
    { schemaBytesMax: 99 },
  );
  expect(tools).toMatchObject([{ inputSchema: {} }, { inputSchema: object }]);
  expect(tools[0]?.outputSchema).toBeUndefined();
  expect(warnings).toHaveLength(2);
  const deep = JSON.parse(`{"type":"object","x":${"[".repeat(200_000)}${"]".repeat(200_000)}}`);
  expect(read({ name: "t", inputSchema: deep }).warnings).toEqual([
    expect.stringContaining("too deeply"),
  ]);
});

test("a list that PHP wrote with its keys is read, and that is said", () => {
  const { tools, warnings } = readTools({ tools: { "0": { name: "a" }, "2": { name: "b" } } });
  expect(tools.map(({ name }) => name)).toEqual(["a", "b"]);
  expect(warnings[0]).toBe("the list of tools is not an array: its members were read");
});

test("a list that is none has no tools, and says so", () => {
  expect(readTools({ tools: {} })).toEqual({
    tools: [],
    warnings: [expect.stringContaining("not an array")],
  });
  expect(readTools(null)).toEqual({ tools: [], warnings: [] });
});
