/** The list of tools as plugins offer it: what they leave out, rename and describe anew, and what names mean then. */
import { expect, test } from "bun:test";

import type { OfferedTool } from "../../lib/hooks/hook-types.ts";
import type { Hooks } from "../../lib/hooks/plugin.ts";
import type { Host } from "../../lib/host/types.ts";
import { hostOver, tools as listOf } from "../host/kit.ts";
import { hooked, hostWith, never } from "./kit.ts";

async function names(host: Host): Promise<string[]> {
  return (await host.tools()).tools.map(({ name }) => name);
}

async function statusOf(host: Host, tool: string): Promise<string> {
  const { status, error } = await host.call({ tool, arguments: { n: 1 } });
  return error === undefined ? status : `${error.code}: ${error.message}`;
}

const listing = (change: (tools: readonly OfferedTool[]) => unknown): Hooks => ({
  listTools: change as never,
});

test("a tool that is left out can be called by no name, and the others can", async () => {
  await using host = await hostWith([
    hooked(listing((all) => all.filter(({ tool }) => tool !== "buy"))),
  ]);
  expect(await names(host)).toEqual(["echo", "fail"]);
  for (const name of ["buy", "shop.buy", "shop/buy"])
    expect(await statusOf(host, name)).toBe(
      'denied: buy of server "shop" is not offered: a plugin leaves it out (listTools)',
    );
  expect(await statusOf(host, "echo")).toBe("completed");
  expect(await statusOf(host, "nothing")).toMatch(/^usage: no tool is called "nothing"/);
  await expect(host.resolve("buy")).rejects.toMatchObject({ code: "denied" });
});

test("a tool that a plugin leaves out by now is called no more, once it was seen to be gone", async () => {
  let left: string[] = [];
  await using host = await hostWith([
    hooked(listing((all) => all.filter(({ tool }) => !left.includes(tool)))),
  ]);
  expect(await statusOf(host, "buy")).toBe("completed");
  left = ["buy"];
  expect(await names(host)).toEqual(["echo", "fail"]);
  expect(await statusOf(host, "buy")).toMatch(/^denied: .*a plugin leaves it out/);
  left = [];
  expect(await names(host)).toEqual(["echo", "buy", "fail"]);
  expect(await statusOf(host, "buy")).toBe("completed");
});

test("a new name means the tool, the old one no more; its own name and its server's name still do", async () => {
  const rename = listing((all) =>
    all.map((tool) =>
      tool.tool === "buy" ? { ...tool, name: "purchase", description: "Spends" } : tool,
    ),
  );
  const seen: unknown[] = [];
  const spy: Hooks = { beforeCall: ({ name, tool }) => void seen.push([name, tool]) };
  await using host = await hostWith([hooked(rename), hooked(spy, "spy")]);
  expect(await names(host)).toEqual(["echo", "purchase", "fail"]);
  expect(await host.resolve("purchase")).toMatchObject({
    name: "purchase",
    tool: "buy",
    description: "Spends",
  });
  for (const name of ["purchase", "purchase", "shop.buy", "buy"])
    expect(await statusOf(host, name)).toBe("completed");
  expect(seen[0]).toEqual(["purchase", "buy"]);
});

test("the name that a tool was shown by before means nothing any more, and the new one is told", async () => {
  const rename = listing((all) =>
    all.map((tool) => (tool.name === "a_pid" ? { ...tool, name: "process" } : tool)),
  );
  const both = { a: { tools: listOf("pid") }, b: { tools: listOf("pid") } };
  await using host = await hostOver(both, { plugins: [hooked(rename)] });
  expect(await names(host)).toEqual(["process", "b_pid"]);
  expect(await statusOf(host, "a_pid")).toBe(
    'usage: no tool is called "a_pid": a plugin calls it process (listTools)',
  );
  for (const name of ["process", "a/pid", "b_pid"])
    expect(await statusOf(host, name)).toBe("completed");
});

test("names that change places mean what is shown by them", async () => {
  const other: Record<string, string> = { echo: "buy", buy: "echo" };
  const swap = listing((all) =>
    all.map((tool) => ({ ...tool, name: other[tool.name] ?? tool.name })),
  );
  await using host = await hostWith([hooked(swap)]);
  expect((await host.call({ tool: "echo", arguments: { n: 1 } })).result?.content).toMatchObject([
    { text: "bought 1" },
  ]);
  expect((await host.call({ tool: "buy", arguments: { x: 1 } })).result?.structuredContent).toEqual(
    { x: 1 },
  );
  expect(
    (await host.call({ tool: "shop.buy", arguments: { n: 2 } })).result?.content,
  ).toMatchObject([{ text: "bought 2" }]);
});

test("a tool may have two names, and plugins see what those before made of the list", async () => {
  const twice = listing((all) => all.flatMap((tool) => [tool, { ...tool, name: `${tool.name}2` }]));
  const seen: string[] = [];
  const spy = listing((all) => void seen.push(...all.map(({ name }) => name)));
  await using host = await hostWith([hooked(twice, "a"), hooked(spy, "b")]);
  expect(await names(host)).toEqual(["echo", "echo2", "buy", "buy2", "fail", "fail2"]);
  expect(seen).toEqual(["echo", "echo2", "buy", "buy2", "fail", "fail2"]);
  expect(await statusOf(host, "buy2")).toBe("completed");
  expect(await statusOf(host, "buy")).toBe("completed");
});

test("rules hold for the new name and for the old one", async () => {
  const rename = listing((all) =>
    all.map((tool) => (tool.tool === "buy" ? { ...tool, name: "purchase" } : tool)),
  );
  for (const tools of ["purchase", "buy", "shop.buy"]) {
    await using host = await hostWith([hooked(rename)], { policy: [{ do: "deny", tools }] });
    for (const name of ["purchase", "shop.buy"]) {
      const isKnown = tools !== "purchase" || name === "purchase" || name === "shop.buy";
      expect(isKnown && (await statusOf(host, name))).toMatch(
        /^denied: buy of server "shop" is denied by the rule/,
      );
    }
  }
});

test.each([
  [
    () => {
      throw new Error("oops");
    },
    /threw: oops/,
  ],
  [() => never, /gave no answer within 500 ms/],
  [() => ({}), /returned \{\}: expected an array of the tools given/],
  [() => [null], /returned null: expected/],
  [(all: OfferedTool[]) => all.map(({ server, tool }) => ({ server, tool })), /expected an array/],
  [
    (all: OfferedTool[]) => all.map((tool) => ({ ...tool, name: "same" })),
    /gave two tools the name "same"/,
  ],
  [
    (all: OfferedTool[]) => [...all, { name: "mine", server: "shop", tool: "new" }],
    /"mine".*expected/,
  ],
  [(all: OfferedTool[]) => [{ ...all[0]!, description: 5 }], /expected/],
  [(all: OfferedTool[]) => all.push(all[0]!), /threw: /],
  [(all: OfferedTool[]) => ((all[0]!.inputSchema as { type: string }).type = "x"), /threw: /],
] as [() => never, RegExp][])("a list that fails offers nothing: %p", async (change, expected) => {
  await using host = await hostWith([hooked(listing(change), "bad")]);
  const { tools, failed } = await host.tools();
  expect(tools).toEqual([]);
  expect(failed).toHaveLength(1);
  expect(failed[0]).toMatchObject({ server: "bad", error: { code: "denied" } });
  expect(failed[0]!.error.message).toMatch(expected);
  expect(await statusOf(host, "echo")).toMatch(/^denied: plugin "bad": listTools /);
});
