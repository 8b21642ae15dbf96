/** Reported faults of tool schemas: bad ones, missing ones, references of every kind. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { entry, faulty, hostOver, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

const good = {
  name: "good",
  inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};
const server = (list: unknown[]) => ["--", ...faulty("lists.listed", JSON.stringify(list))];
const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });

/** Lists and calls each of these beside a good tool, by the command line and by the module. */
async function expectUsable(
  tools: Record<string, unknown>,
  warned: string[],
  args: Record<string, unknown> = {},
) {
  const list = [
    ...Object.entries(tools).map(([name, inputSchema]) => ({
      name,
      ...(inputSchema !== undefined && { inputSchema }),
    })),
    good,
  ];
  const names = list.map(({ name }) => name);
  const run = await mcphost("tools", "--json", ...server(list)).run();
  expect({
    code: run.code,
    names: JSON.parse(run.stdout).map(({ tool }: { tool: string }) => tool),
  }).toEqual({ code: 0, names });
  for (const name of warned)
    expect(run.stderr).toContain(JSON.stringify(`tool "${name}": `).slice(1, -1));
  await using host = await hostOver({ s: entry("lists.listed", {}, JSON.stringify(list)) });
  for (const name of names.slice(0, -1))
    expect({
      name,
      said: textOf(await host.call({ tool: name, arguments: args as never })),
    }).toEqual({ name, said: JSON.stringify([name, args]) });
  expect(await host.call({ tool: "good", arguments: { n: 1 } })).toMatchObject({
    status: "completed",
  });
  // The good one is still checked.
  expect(await host.call({ tool: "good" })).toMatchObject({ error: { code: "usage" } });
}

describe.concurrent("B091 one bad schema drops nothing but itself", () => {
  test("each is listed as it is with a warning that names tool and reason, and can be called", async () => {
    const bad = {
      any: { anyOf: [object({ a: {} }), object({ b: {} })] },
      inside: { type: "object", properties: { a: { type: "string" }, required: ["a"] } },
      int: { type: "int" },
      badEnum: object({ a: { enum: "x" } }),
      requiredText: { type: "object", required: "a" },
      propertiesList: { type: "object", properties: ["a"] },
      badPattern: object({ a: { type: "string", pattern: "(" } }),
      types: object({ a: { type: "str" }, b: { type: ["string", "none"] } }),
      badItems: object({ a: { type: "array", items: 7 } }),
      badAdditional: { type: "object", additionalProperties: "no" },
      badMinimum: object({ a: { type: "number", minimum: "1" } }),
      unknownDialect: { $schema: "http://example.invalid/none", type: "object" },
    };
    await expectUsable(
      bad,
      ["any", "inside", "int", "badEnum", "requiredText", "propertiesList", "types"],
      { a: "x" },
    );
  });

  test("one that takes no object is listed with a warning; a call is refused, and goes unchecked where asked", async () => {
    const words = server([{ name: "text", inputSchema: { type: "string" } }, good]);
    expectRun(await mcphost("tools", ...words).run(), {
      stdout: /^text\(.*\ngood\(n: integer\)\n$/,
      stderr: /tool "text": .*"string"/,
    });
    expectRun(await mcphost("call", "text", ...words).run(), {
      code: 2,
      stderr: /text: .*expected string[^]*--no-validate/,
    });
    expectRun(await mcphost("call", "text", "--no-validate", ...words).run(), {
      stdout: '["text",{}]\n',
    });
    expectRun(await mcphost("call", "good", "n=1", ...words).run(), {
      stdout: '["good",{"n":1}]\n',
    });
  });
});

describe.concurrent("B092 tools without a schema", () => {
  test("take no arguments, with a warning, and empty no list", async () => {
    const tools = { a: undefined, b: null, c: {} };
    await expectUsable(tools, ["a", "b", "c"]);
    await expectUsable(
      { ...tools, d: 7, e: "x", f: [], g: true, h: false },
      ["a", "b", "d", "e", "f", "g"],
      { x: 1 },
    );
  });
});

describe.concurrent("O023 a schema of $schema alone", () => {
  test("is listed and takes any arguments", async () => {
    const only = { $schema: "http://json-schema.org/draft-07/schema#" };
    await expectUsable({ only }, [], { query: "x", n: [1] });
    const words = server([{ name: "only", inputSchema: only }]);
    expectRun(await mcphost("call", "only", "query=x", "n:=[1]", ...words).run(), {
      stdout: '["only",{"query":"x","n":[1]}]\n',
    });
  });
});

describe.concurrent("B094 references", () => {
  const item = { type: "object", properties: { id: { type: "integer" } }, required: ["id"] };
  const local = {
    properties: object({ a: { type: "array", items: item }, b: { $ref: "#/properties/a/items" } }),
    definitions: object({ b: { $ref: "#/definitions/X" } }, { definitions: { X: item } }),
    slash: object({ b: { $ref: "#/$defs/a~1b" } }, { $defs: { "a/b": item } }),
    tilde: object({ b: { $ref: "#/$defs/a~0b" } }, { $defs: { "a~b": item } }),
    percent: object({ b: { $ref: "#/$defs/a%20b" } }, { $defs: { "a b": item } }),
    chain: object(
      { b: { $ref: "#/$defs/one" } },
      { $defs: { one: { $ref: "#/$defs/two" }, two: item } },
    ),
  };

  test.each(Object.entries(local))(
    "#%s is resolved, for checking and for typing",
    async (name, inputSchema) => {
      const words = server([{ name, inputSchema }]);
      expectRun(await mcphost("call", name, 'b={"id":1}', ...words).run(), {
        stdout: `["${name}",{"b":{"id":1}}]\n`,
      });
      expectRun(await mcphost("call", name, 'b:={"id":"x"}', ...words).run(), {
        code: 2,
        stderr: /b\/id: expected integer/,
      });
      expectRun(await mcphost("call", name, "b:={}", ...words).run(), {
        code: 2,
        stderr: /b\/id is missing/,
      });
    },
  );

  test("# is recursive, and ends", async () => {
    const inputSchema = object({
      id: { type: "integer" },
      child: { $ref: "#" },
      list: { type: "array", items: { $ref: "#" } },
    });
    const words = server([{ name: "tree", inputSchema }]);
    const value = '{"id":1,"child":{"id":2,"child":{"list":[{"id":3}]}}}';
    expectRun(await mcphost("call", "tree", value, ...words).run(), {
      stdout: `["tree",${value}]\n`,
    });
    expectRun(await mcphost("call", "tree", 'child={"child":{"id":"x"}}', ...words).run(), {
      code: 2,
      stderr: /child\/child\/id: expected integer/,
    });
    expectRun(await mcphost("tools", ...words).run(), { stdout: /^tree\(id\?: integer/ });
    expectRun(await mcphost("tools", "tree", ...words).run(), { stdout: /child/ });
  });

  const broken: Record<string, unknown> = {
    missing: object({ b: { $ref: "#/$defs/missing" } }),
    itself: object({ b: { $ref: "#/properties/b" } }),
    circle: object(
      { b: { $ref: "#/$defs/x" } },
      { $defs: { x: { $ref: "#/$defs/y" }, y: { $ref: "#/$defs/x" } } },
    ),
    number: object({ b: { $ref: 7 } }),
    relative: object({ b: { $ref: "other.json#/a" } }),
    file: object({ b: { $ref: "file:///etc/passwd" } }),
    badPercent: object({ b: { $ref: "#/%" } }),
    anchor: object({ b: { $ref: "#nowhere" } }),
    root: { $ref: "#/$defs/missing" },
    proto: object({ b: { $ref: "#/__proto__/toString" } }),
  };

  test.each(Object.entries(broken))(
    "%s: listed and callable without checks, with a warning",
    async (name, inputSchema) => {
      const words = server([{ name, inputSchema }]);
      expect((await mcphost("tools", "--json", ...words).run()).code).toBe(0);
      const run = await mcphost("call", name, "b=x", ...words).run();
      expectRun(run, {
        stdout: `["${name}",{"b":"x"}]\n`,
        stderr: new RegExp(`warning: .*${name}`),
      });
    },
  );

  test("a remote one is never fetched", async () => {
    const asked: string[] = [];
    using web = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: (request) => {
        asked.push(request.url);
        return Response.json({ type: "integer" });
      },
    });
    const at = (path: string) => `http://127.0.0.1:${web.port}/${path}`;
    const schemas = {
      property: object({ b: { $ref: at("s.json") } }),
      root: { $ref: at("root.json") },
      id: { $id: at("base.json"), type: "object", properties: { b: { $ref: "sibling.json" } } },
      schema: { $schema: at("dialect.json"), type: "object", properties: { b: {} } },
      dynamic: object({ b: { $dynamicRef: at("d.json#x") } }),
      secure: object({ b: { $ref: "https://example.invalid/s.json" } }),
    };
    for (const [name, inputSchema] of Object.entries(schemas)) {
      const words = server([{ name, inputSchema, outputSchema: inputSchema }]);
      expect((await mcphost("tools", name, ...words).run()).code).toBe(0);
      const run = await mcphost("call", name, "b=x", ...words).run();
      expect({ name, code: run.code, stdout: run.stdout }).toEqual({
        name,
        code: 0,
        stdout: `["${name}",{"b":"x"}]\n`,
      });
      await using host = await hostOver({
        s: entry("lists.listed", {}, JSON.stringify([{ name, inputSchema }])),
      });
      expect(await host.call({ tool: name, arguments: { b: "x" } })).toMatchObject({
        status: "completed",
      });
    }
    expect(asked).toEqual([]);
  });
});

test("a tool whose arguments stand in alternatives shows them, with a call that fits", async () => {
  const inputSchema = {
    type: "object",
    oneOf: [
      object({ k: { const: "x" }, n: { type: "integer" } }, { required: ["k", "n"] }),
      object({ k: { const: "y" }, s: { type: "string" } }, { required: ["k", "s"] }),
    ],
  };
  const list = server([{ name: "one", inputSchema }]);
  const { stdout } = await mcphost("tools", "one", ...list).run();
  expect(stdout).toStartWith('one(k?: "x" | "y", n?: integer, s?: string)\n');
  expect(stdout).toContain("\n  mcphost call one k=x n=1 -- ");
  expectRun(await mcphost("call", "one", "k=x", "n=1", ...list).run(), {
    stdout: '["one",{"k":"x","n":1}]\n',
  });
  const nearly = await mcphost("call", "one", "k=y", "z=1", ...list).run();
  expect(nearly).toMatchObject({ code: 2 });
  expect(nearly.stderr).toContain('one(k?: "x" | "y", n?: integer, s?: string)');
});
