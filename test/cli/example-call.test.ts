/** The example call of `tools NAME` can be copied: it is taken by the tool's own schema (cli.md, Commands). */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { expectRun, mcphost, root } from "../harness.ts";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  ...more,
});

const node = object({ name: { type: "string" } }, { required: ["name"] });
const tuple = { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }] };

/** By the name of a tool: its schema, and what the example sends. */
const schemas: Record<string, [schema: object, args: object]> = {
  plain: [
    object({
      text: { type: "string" },
      n: { type: "integer", minimum: 3 },
      on: { type: "boolean" },
    }),
    { text: "text", n: 3, on: true },
  ],
  nested: [
    object({
      order: object({ id: { type: "integer" }, by: object({ name: { type: "string" } }) }),
    }),
    { order: { id: 1, by: { name: "text" } } },
  ],
  referred: [
    object(
      { node: { $ref: "#/$defs/Node" } },
      {
        $defs: {
          Node: { ...node, properties: { ...node.properties, up: { $ref: "#/$defs/Node" } } },
        },
      },
    ),
    { node: { name: "text" } },
  ],
  itself: [
    object(
      { node: { $ref: "#/$defs/Node" } },
      {
        $defs: { Node: object({ next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } }) },
      },
    ),
    { node: { next: { next: { next: { next: { next: { next: {} } } } } } } },
  ],
  arrays: [
    object({
      pair: { ...tuple, minItems: 2, maxItems: 2 },
      some: { type: "array", items: object({ x: { type: "number" } }), minItems: 1 },
      any: { type: "array", items: { type: "string" } },
    }),
    { pair: [1, "text"], some: [{ x: 1 }], any: [] },
  ],
  bounds: [
    object({
      above: { type: "integer", exclusiveMinimum: 5 },
      below: { type: "number", maximum: -2 },
      between: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
      step: { type: "integer", minimum: 1, multipleOf: 5 },
      long: { type: "string", minLength: 6 },
      short: { type: "string", maxLength: 2 },
    }),
    { above: 6, below: -2, between: 0.5, step: 5, long: "text..", short: "te" },
  ],
  formats: [
    object({
      day: { type: "string", format: "date" },
      at: { type: "string", format: "date-time" },
      to: { type: "string", format: "email" },
      id: { type: "string", format: "uuid" },
    }),
    {
      day: "2026-01-31",
      at: "2026-01-31T12:00:00Z",
      to: "ada@example.com",
      id: "00000000-0000-4000-8000-000000000000",
    },
  ],
  unions: [
    object({
      kind: { oneOf: [object({ two: { type: "integer" } }), { const: "One" }] },
      value: { anyOf: [{ type: "null" }, object({ a: { type: "boolean" } })] },
      nothing: { const: null },
      both: { allOf: [object({ a: { type: "string" } }), object({ b: { type: "integer" } })] },
    }),
    { kind: "One", value: { a: true }, nothing: null, both: { a: "text", b: 1 } },
  ],
};

const tools = Object.entries(schemas).map(([name, [inputSchema]]) => ({ name, inputSchema }));
const server = [
  "--",
  process.execPath,
  join(root, "test/fixtures/host/server.ts"),
  JSON.stringify({ tools }),
];

test.concurrent.each(Object.entries(schemas))("of %s", async (name, [, args]) => {
  const help = await mcphost("tools", name, ...server).run();
  expectRun(help, { stdout: /Example:/ });
  const example = /^ {2}mcphost call (.*?) -- /m.exec(help.stdout.split("Example:\n")[1]!)![1]!;
  const shell = Bun.spawn(["sh", "-c", `printf '%s\\0' ${example}`], { stdout: "pipe" });
  const words = (await shell.stdout.text()).split("\0").slice(0, -1);
  const run = await mcphost("call", ...words, ...server).run();
  // The one that never ends is cut somewhere, and refused.
  if (name === "itself")
    return expect(JSON.parse(words[1]!.replace("node=", ""))).toEqual(args["node" as never]);
  expectRun(run, { stdout: /^/ });
  expect(JSON.parse(run.stdout)).toEqual(args);
});
