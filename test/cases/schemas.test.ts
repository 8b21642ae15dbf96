/** Reported faults of tool schemas: bad ones, missing ones, and alternatives. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { entry, hostOver, textOf } from "./kit.ts";
import { object, server } from "./schemas-kit.ts";

setDefaultTimeout(60_000);

const good = {
  name: "good",
  inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
};

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

test("which arguments alternatives ask for is said, and which exclude each other", async () => {
  const inputSchema = object(
    { id: { type: "integer" }, name: { type: "string" } },
    { oneOf: [{ required: ["id"] }, { required: ["name"] }] },
  );
  const list = server([{ name: "one", inputSchema }]);
  expectRun(await mcphost("call", "one", ...list).run(), {
    code: 2,
    stderr: /^mcphost: one: the arguments: expected one of: id, or name\n/,
  });
  expectRun(await mcphost("call", "one", "id=1", "name=x", ...list).run(), {
    code: 2,
    stderr: /^mcphost: one: the arguments: expected only one of: id, or name\n/,
  });
});

test("types by the words of others, and bounds as OpenAPI has them, are understood on a command line", async () => {
  const properties = {
    ttl: { type: "integer", minimum: 0, exclusiveMinimum: true },
    page: { type: "int" },
    dry: { type: "BOOLEAN" },
  };
  const list = server([{ name: "one", inputSchema: { type: "OBJECT", properties } }]);
  expectRun(await mcphost("call", "one", "ttl=1", "page=2", "dry=true", ...list).run(), {
    stdout: '["one",{"ttl":1,"page":2,"dry":true}]\n',
  });
  const wrong = await mcphost("call", "one", "ttl=0", ...list).run();
  expectRun(wrong, {
    code: 2,
    stderr:
      /ttl: expected more than 0, got 0\n {2}one\(ttl\?: integer, page\?: integer, dry\?: bool/,
  });
});
