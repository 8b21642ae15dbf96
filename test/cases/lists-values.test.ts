/** Reported faults of values in lists: digits that no double holds, and null. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { mcphost } from "../harness.ts";
import { entry, faulty, hostOver } from "./kit.ts";
import { listOf } from "./lists-kit.ts";

setDefaultTimeout(60_000);

const bigsIn = (text: string) => Array.from(text.matchAll(/922337203685477\d+/g), String);

describe.concurrent("digits that no double holds", () => {
  const big = "9223372036854775807";
  const words = ["--", ...faulty("lists.digits", big)];

  test.each([
    [["tools", "--json"], 4],
    [["tools", "big", "--schema"], 1],
    [["prompts", "--json"], 1],
    [["resources", "--json"], 1],
  ])("stay in lists and schemas: %j", async (command, count) => {
    const run = await mcphost(...command, ...words).run();
    expect(run).toMatchObject({ code: 0, stderr: "" });
    expect(bigsIn(run.stdout)).toEqual(Array(count).fill(big));
  });

  test("stay in the data of an error", async () => {
    const run = await mcphost("call", "big", "--json", ...words).run();
    expect(run).toMatchObject({ code: 1, stdout: "" });
    expect(bigsIn(run.stderr)).toEqual([big]);
  });

  test("are numbers to whoever reads schemas, and arguments are checked by them", async () => {
    await using host = await hostOver({ s: entry("lists.digits", {}, big) });
    const [tool] = (await host.tools()).tools;
    expect(tool?.inputSchema).toMatchObject({ properties: { n: { maximum: Number(big) } } });
    expect<unknown>(tool?.annotations).toEqual({ n: Number(big) });
    const call = (n: number) => host.call({ tool: "big", arguments: { n } });
    expect(await call(1)).toMatchObject({ error: { code: "rpc_error" } });
    expect(await call(1e30)).toMatchObject({ error: { code: "usage" } });
  });
});

describe.concurrent("B115 null is as good as absent", () => {
  const tool = {
    name: "t",
    title: null,
    description: null,
    annotations: null,
    outputSchema: null,
    icons: null,
    _meta: null,
    execution: null,
    inputSchema: {
      type: "object",
      properties: null,
      required: null,
      additionalProperties: null,
      description: null,
    },
  };
  test.each<[string, object]>([
    ["nextCursor and _meta", { tools: [tool], nextCursor: null, _meta: null }],
    [
      "everything of a tool",
      {
        tools: [
          { name: "t", inputSchema: { type: "object" } },
          { ...tool, name: "u" },
        ],
        nextCursor: null,
        ttlMs: null,
        resultType: null,
      },
    ],
  ])("%s", async (_, result) => {
    const words = ["--", ...faulty("lists.result", JSON.stringify(result))];
    const list = await listOf(words);
    expect(list.map((one) => one.tool)).toContain("t");
    expect(JSON.stringify(list)).not.toContain('"title":null');
    const run = await mcphost("call", "t", ...words).run();
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: '["t",{}]\n' });
    expect((await mcphost("tools", "t", ...words).run()).code).toBe(0);
  });

  test("tools that are null are none", async () => {
    const run = await mcphost(
      "tools",
      "--json",
      "--",
      ...faulty("lists.result", '{"tools":null,"nextCursor":null}'),
    ).run();
    expect(JSON.parse(run.stdout || "[]")).toEqual([]);
    expect(run.stderr).not.toContain("internal");
  });
});
