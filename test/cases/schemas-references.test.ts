/** Reported faults of references in tool schemas, of every kind. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { entry, hostOver } from "./kit.ts";
import { object, server } from "./schemas-kit.ts";

setDefaultTimeout(60_000);

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
