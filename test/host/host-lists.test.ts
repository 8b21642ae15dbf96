/** Lists of tools: of servers that cannot start, with odd schemas, and that change. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { hostOver, textOf, tools } from "./kit.ts";

describe("lists", () => {
  test("one that cannot start hides no other, and is named", async () => {
    await using host = await hostOver({
      bad: { command: "/nowhere/at-all" },
      good: { tools: tools("echo") },
    });
    const { tools: all, failed } = await host.tools();
    expect(all.map((tool) => tool.name)).toEqual(["good_echo"]);
    expect(failed).toMatchObject([{ server: "bad", error: { code: "server_start" } }]);
  });

  test("odd schemas hide no tool: each is listed, callable, and told of", async () => {
    const schemas = {
      string: { type: "string" },
      any: { anyOf: [{ type: "object" }] },
      inside: { type: "object", properties: { a: { type: "string" }, required: ["a"] } },
      int: { type: "int" },
      list: [],
      nothing: null,
      ref: { type: "object", properties: { a: { $ref: "https://example.invalid/s.json" } } },
    };
    const odd = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
    await using host = await hostOver({ s: { tools: [...odd, ...tools("good")] } });
    const { tools: all, warnings } = await host.tools();
    expect(all.map((tool) => tool.name)).toEqual([...Object.keys(schemas), "good"]);
    expect(warnings.length).toBeGreaterThanOrEqual(5);
    for (const name of ["any", "inside", "int", "list", "nothing", "ref", "good"])
      expect(textOf(await host.call({ tool: name, arguments: { a: "x" } }))).toBe('{"a":"x"}');
    expect(await host.call({ tool: "string" })).toMatchObject({ error: { code: "usage" } });
  });

  test("an unknown server is named as such", async () => {
    await using host = await hostOver({ good: {} });
    const { failed } = await host.tools({ servers: ["goood"] });
    expect(failed).toMatchObject([
      { server: "goood", error: { code: "usage", hint: "did you mean good?" } },
    ]);
  });

  test("some servers alone: their names are those of the whole", async () => {
    await using host = await hostOver({
      acme: { tools: tools("_status") },
      acme_: { tools: tools("status") },
    });
    const { tools: some } = await host.tools({ servers: ["acme_"] });
    expect(some).toHaveLength(1);
    expect(some[0]!.name).toMatch(/^acme__status_[0-9a-f]{8}$/);
  });

  test("a storm of changes makes few fetches, the last tool is there, and it is told once", async () => {
    await using host = await hostOver({ s: { tools: tools("storm", "lists") } });
    const told: string[] = [];
    const events = (async () => {
      for await (const event of host.events())
        if (event.type === "tools_changed") told.push(event.server);
    })();
    await host.tools();
    expect(textOf(await host.call({ tool: "storm" }))).toBe("stormed");
    const names = (await host.tools()).tools.map((tool) => tool.name);
    expect(names).toEqual(["storm", "lists", "late"]);
    expect(Number(textOf(await host.call({ tool: "lists" })))).toBeLessThanOrEqual(4);
    await host[Symbol.asyncDispose]();
    await events;
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(3);
  });

  test("a change that was not declared, and told too early, is found by its name later", async () => {
    await using host = await hostOver({ s: { tools: tools("grow"), declares: { tools: {} } } });
    await host.call({ tool: "grow" });
    await host.tools();
    await waitFor(async () => (await host.call({ tool: "late" })).status === "completed", "late");
  });

  test("an endless trickle of changes blocks no call", async () => {
    await using host = await hostOver({ s: { tools: tools("trickle", "echo") } });
    await host.call({ tool: "trickle" });
    for (let i = 0; i < 20; i++)
      expect(textOf(await host.call({ tool: "echo", arguments: { i } }))).toBe(
        JSON.stringify({ i }),
      );
  });
});
