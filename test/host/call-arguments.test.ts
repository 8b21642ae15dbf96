/** Arguments of a call: refused before it is sent, or sent as they are, with every digit. */
import { describe, expect, test } from "bun:test";

import type { Json } from "../../lib/base/json.ts";
import { hostOver, textOf, tools } from "./kit.ts";

const add = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, "odd/key": { type: "array", items: { type: "string" } } },
    required: ["a"],
    additionalProperties: false,
  },
};

describe("arguments", () => {
  test("one that is named and forbidden is said to be so", async () => {
    const never = { type: "object" as const, properties: { a: true, never: false } };
    await using host = await hostOver({ s: { tools: [{ name: "odd", inputSchema: never }] } });
    expect(await host.call({ tool: "odd", arguments: { never: 1 } })).toMatchObject({
      error: { code: "usage", message: "odd: argument never: is not allowed here" },
    });
  });

  test.each<[object, string]>([
    [{}, "add: argument a is missing"],
    [{ a: "1" }, 'add: argument a: expected integer, got "1"'],
    [{ a: 1, "odd/key": [1] }, "add: argument odd/key/0: expected string, got 1"],
    [{ a: 1, odd_key: [] }, "add: unknown argument odd_key (did you mean odd/key?)"],
    [{ b: 1 }, "add: argument a is missing; unknown argument b (did you mean a?)"],
    // What is given already was not meant.
    [{ a: 1, b: 1 }, "add: unknown argument b"],
  ])("%j is refused before it is sent", async (args, message) => {
    await using host = await hostOver({ s: { tools: [add] } });
    expect(await host.call({ tool: "add", arguments: args as Record<string, Json> })).toMatchObject(
      {
        status: "failed",
        sent: false,
        error: { code: "usage", message, hint: 'add(a: integer, "odd/key"?: string[])' },
      },
    );
  });

  test("without validation they are sent as they are, and nothing is listed", async () => {
    await using host = await hostOver({ s: { tools: [add, ...tools("lists")] } });
    const request = { validate: false, arguments: { b: 1 } };
    expect(textOf(await host.call({ tool: "add", ...request }))).toBe('{"b":1}');
    expect(textOf(await host.call({ tool: "lists", ...request }))).toBe("0");
    expect(textOf(await host.call({ tool: "s.add", ...request }))).toBe('{"b":1}');
    expect(textOf(await host.call({ tool: "lists", ...request }))).toBe("1");
  });

  test("big integers keep every digit on the way", async () => {
    await using host = await hostOver({ s: { tools: [add] } });
    const a = JSON.rawJSON("12345678901234567890") as unknown as Json;
    const outcome = await host.call({ tool: "add", arguments: { a }, validate: true });
    expect(outcome.status).toBe("completed");
  });

  test("a schema that is no use stops no call, and is told once", async () => {
    const broken = { name: "broken", inputSchema: { type: "int" } };
    await using host = await hostOver({ s: { tools: [broken, ...tools("echo")] } });
    for (let i = 0; i < 2; i++)
      expect(textOf(await host.call({ tool: "broken", arguments: { i } }))).toBe(
        JSON.stringify({ i }),
      );
    const warnings = host.logged
      .filter((entry) => entry.level === "warn")
      .map((entry) => entry.text);
    expect(warnings).toEqual([
      'the arguments of broken are not checked: the schema is no use: # has the unknown type "int"',
    ]);
  });

  test("a schema of $schema alone, or none, takes anything", async () => {
    const odd = [
      { name: "only", inputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema" } },
      { name: "none" },
    ];
    await using host = await hostOver({ s: { tools: odd } });
    for (const tool of ["only", "none"])
      expect(textOf(await host.call({ tool, arguments: { x: [1] } }))).toBe('{"x":[1]}');
  });
});
