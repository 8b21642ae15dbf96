/** `GET /tools` field by field: the list, of all servers, under their names, for each caller. */
import { describe, expect, test } from "bun:test";

import { serveOver } from "./kit.ts";
import { faulty, jsonOf, named, object, seen } from "./rest-kit.ts";

describe("GET /tools", () => {
  test("llama-server's fields, each of its name and type, and more beside them", async () => {
    const tools = [
      { name: "bare", inputSchema: object },
      {
        name: "full",
        title: "Full",
        description: "All of it.",
        inputSchema: { type: "object", properties: { a: { type: "number" } } },
        outputSchema: object,
        annotations: { readOnlyHint: true, title: "By hint" },
      },
    ];
    const policy = [{ tools: "bare", do: "deny" as const, reason: "not today" }];
    await using kit = serveOver({ s: { prefix: "s_", tools } }, { hostOptions: { policy } });
    const answer = await kit.ask("/tools");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toStartWith("application/json");
    expect(await answer.json()).toEqual([
      {
        tool: "s_bare",
        display_name: "s_bare",
        type: "mcp",
        permissions: { write: false },
        uses_cwd: false,
        definition: {
          type: "function",
          function: { name: "s_bare", description: "", parameters: { ...object, properties: {} } },
        },
        server: "s",
        name: "bare",
        policy: { do: "deny", rule: 'the rule for "bare"' },
      },
      {
        tool: "s_full",
        display_name: "s_full",
        type: "mcp",
        permissions: { write: false },
        uses_cwd: false,
        definition: {
          type: "function",
          function: {
            name: "s_full",
            description: "All of it.",
            parameters: { type: "object", properties: { a: { type: "number" } } },
          },
        },
        server: "s",
        name: "full",
        title: "Full",
        annotations: { readOnlyHint: true, title: "By hint" },
        outputSchema: object,
        policy: { do: "allow" },
      },
    ]);
  });

  test("with parameters that are an object's, whatever the schema: models get them all at once", async () => {
    const schemas = [null, {}, { type: "string" }, { type: "object", properties: null }];
    const whole = {
      $schema: "x",
      type: "object",
      properties: { a: {}, b: false },
      required: ["a"],
    };
    const tools = [...schemas, whole].map((inputSchema, at) => ({ name: `t${at}`, inputSchema }));
    await using kit = serveOver({ s: { tools } });
    const list = await jsonOf(await kit.ask("/tools"));
    const parameters = list.map((one: any) => one.definition.function.parameters);
    const none = { type: "object", properties: {} };
    expect(parameters).toEqual([
      none,
      none,
      none,
      none,
      { ...whole, properties: { a: {}, b: { not: {} } } },
    ]);
  });

  test("with arrays that say something of their items, wherever they stand: models get them all at once", async () => {
    const list = { type: "array" };
    const inputSchema = {
      type: "object",
      properties: {
        type: list,
        pair: { type: ["array", "null"], prefixItems: [list] },
        some: { anyOf: [{ type: "array", items: { $ref: "#/$defs/l" } }], default: list },
      },
      $defs: { l: list },
    };
    await using kit = serveOver({ s: { tools: [{ name: "t", inputSchema }] } });
    const [tool] = await jsonOf(await kit.ask("/tools"));
    const any = { type: "array", items: {} };
    expect(tool.definition.function.parameters).toEqual({
      type: "object",
      properties: {
        type: any,
        pair: { type: ["array", "null"], prefixItems: [any], items: {} },
        some: { anyOf: [{ type: "array", items: { $ref: "#/$defs/l" } }], default: list },
      },
      $defs: { l: any },
    });
  });

  test("of all servers in their order, and none waits for a slow or a dead one (B113, B115)", async () => {
    await using kit = serveOver({
      slow: { prefix: "slow_", startMs: 60_000, tools: [{ name: "late", inputSchema: object }] },
      dead: { prefix: "dead_", ...faulty("crash-before-initialize") },
      b: { prefix: "b_", ...faulty("cursor-null") },
      a: { prefix: "a_" },
    });
    // Once at the start it waits a little for those that start; after that for nobody.
    await kit.ask("/tools");
    const startedAt = performance.now();
    const list = await jsonOf(await kit.ask("/tools"));
    expect(performance.now() - startedAt).toBeLessThan(1000);
    expect(list.map((tool: any) => tool.tool)).toEqual(["b_echo", "a_echo"]);
  });

  test("names that are cleaned stay apart, and raw ones mean the same (B116, B118, B119)", async () => {
    await using kit = serveOver({
      a: { tools: named("x.y", "x_y", "same") },
      a_: { tools: named("x_y", "same") },
    });
    const list = await jsonOf(await kit.ask("/tools"));
    const names: string[] = list.map((tool: any) => tool.tool);
    expect(new Set(names).size).toBe(5);
    for (const tool of list) {
      const params = { who: tool.tool };
      for (const name of [tool.tool, `${tool.server}/${tool.name}`]) {
        const answer = await kit.ask("/tools", { json: { tool: name, params } });
        expect(await answer.json()).toMatchObject({ plain_text_response: JSON.stringify(params) });
      }
    }
    expect(await seen(kit.ask("/tools", { json: { tool: "same" } }))).toMatchObject({
      status: 400,
      body: { error: { candidates: ["a/same", "a_/same"], hint: "say which: a.same, a_.same" } },
    });
    // So that it fits into a path, too.
    expect((await kit.ask("/tools/a.same", { json: {} })).status).toBe(200);
    expect(await seen(kit.ask("/tools/quite-different", { json: {} }))).toMatchObject({
      status: 404,
      body: { error: { hint: "GET /tools lists those that there are" } },
    });
  });

  test("a caller sees and calls what their token allows, and learns of nothing else", async () => {
    const tools = [
      { name: "read_file", inputSchema: object },
      { name: "write_file", inputSchema: object },
    ];
    await using kit = serveOver(
      { s: { prefix: "s_", tools, deniedTools: ["none"] } },
      {
        tokens: [
          { name: "reader", token: "r", tools: ["read*"] },
          { name: "all", token: "a" },
        ],
      },
    );
    const names = async (token: string) =>
      (await jsonOf(await kit.ask("/tools", { token }))).map((tool: any) => tool.tool);
    expect(await names("r")).toEqual(["s_read_file"]);
    expect(await names("a")).toEqual(["s_read_file", "s_write_file"]);
    expect((await kit.ask("/tools")).status).toBe(401);
    const hidden = await kit.ask("/tools", { token: "r", json: { tool: "s_write_file" } });
    const never = await kit.ask("/tools", { token: "r", json: { tool: "s_write_fil" } });
    expect([hidden.status, never.status]).toEqual([404, 404]);
    expect((await never.text()).replaceAll("_fil", "_file")).toBe(await hidden.text());
    expect((await kit.ask("/tools/s_write_file", { token: "r", json: {} })).status).toBe(404);
    expect((await kit.ask("/tools/write_file", { token: "r", json: {} })).status).toBe(404);
    expect((await kit.ask("/tools/s_read_file", { token: "r", json: {} })).status).toBe(200);
    const near = await kit.ask("/tools", { token: "a", json: { tool: "s_write_fil" } });
    expect(await near.json()).toMatchObject({ error: { nearest: ["s_write_file"] } });
  });
});
