/** The gateway's lists: several servers as one, in pages, without those that are late or cannot start. */
import { describe, expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { Cursors } from "../../lib/serve/gateway-cursors.ts";
import { entry } from "../cases/kit.ts";
import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import { object } from "./rest-kit.ts";

const nameOf = (name: string) => name;

describe("several servers as one", () => {
  test("a list whose later page fails: what there is beside other servers, an error where its server is alone", async () => {
    await using kit = gatewayOver({ a: entry("lists.half"), b: full() });
    const all = await session(kit);
    const ask = async (on: typeof all, method: string) =>
      answerTo(await told(await on.request(method)));
    const names = (await ask(all, "tools/list"))?.result.tools.map((one: any) => one.name);
    expect(names).toContainValues(["a_first", "b_echo"]);
    expect(names).not.toContain("a_second");
    const alone = await session(kit, { path: "/mcp/a" });
    for (const list of ["tools", "prompts", "resources"])
      expect((await ask(alone, `${list}/list`))?.error?.message).toContain("no second page");
    expect(textOf(answerTo(await told(await alone.call("first", {}))))).toBe('["first",{}]');
  });

  test("one server's own names and URIs are its own", async () => {
    await using kit = gatewayOver({ a: full(), b: full("modern") });
    const one = await session(kit, { path: "/mcp/b" });
    const listed = answerTo(await told(await one.request("resources/list")))?.result.resources;
    expect(listed.map(({ uri }: { uri: string }) => uri)).toContain("note://one");
    const all = await told(await one.request("prompts/list"));
    expect(answerTo(all)?.result.prompts.map(({ name }: { name: string }) => name)).toContain(
      "plain",
    );
    expect(textOf(answerTo(await told(await one.call("echo", { text: "b" }))))).toBe("b");
    expect(answerTo(await told(await one.call("a/echo", { text: "a" })))?.error?.code).toBe(-32602);
  });

  test("a server that is late delays nobody; when it has answered its tools are told of", async () => {
    const slow = { startMs: 1500, tools: [{ name: "late", inputSchema: object }] };
    await using kit = gatewayOver(
      { quick: full(), slow },
      { gateway: { listMs: 150, greetMs: 100 } },
    );
    const one = await session(kit);
    const heard = collect(await one.ask({ headers: { accept: "text/event-stream" } }));
    const names = async () => {
      const all = await told(await one.request("tools/list"));
      return (answerTo(all)?.result?.tools ?? []).map(({ name }: { name: string }) => name);
    };
    const first = await names();
    expect([first.includes("quick_echo"), first.includes("slow_late")]).toEqual([true, false]);
    await waitFor(async () => (await names()).includes("slow_late"));
    await waitFor(() => heard.some(({ method }) => method === "notifications/tools/list_changed"));
  });

  test("a server that cannot start costs the others nothing, and is told where it alone is asked", async () => {
    const dead = { command: process.execPath, args: ["-e", "process.exit(3)"] };
    await using kit = gatewayOver({ good: full(), dead });
    const one = await session(kit);
    const all = answerTo(await told(await one.request("tools/list")));
    expect(all?.result.tools.length).toBeGreaterThan(5);
    const alone = await session(kit, { path: "/mcp/dead" });
    const refused = answerTo(await told(await alone.request("tools/list")));
    expect(refused?.error).toMatchObject({
      code: -32603,
      data: { code: "server_start", server: "dead" },
    });
  });

  test("instructions are joined under the names of their servers", async () => {
    await using kit = gatewayOver({ a: {}, b: {} });
    const { greeting } = await session(kit);
    expect(greeting.result.instructions).toBe("# a\n\nbe kind\n\n# b\n\nbe kind");
    const alone = await session(kit, { path: "/mcp/a" });
    expect(alone.greeting.result.instructions).toBe("be kind");
  });
});

describe("pages", () => {
  const tools = Array.from({ length: 25 }, (_, at) => ({ name: `t${at}`, inputSchema: object }));

  test("hold all entries once, and cursors are taken from their own list alone", async () => {
    await using kit = gatewayOver({ a: { tools }, b: full() }, { gateway: { pageMax: 10 } });
    const one = await session(kit, { path: "/mcp/a" });
    const page = async (cursor?: string, who = one) =>
      answerTo(await told(await who.request("tools/list", { cursor })));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const result = (await page(cursor))?.result;
      seen.push(...result.tools.map(({ name }: { name: string }) => name));
      cursor = result.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(tools.map(({ name }) => name));
    const { nextCursor } = (await page())?.result ?? {};
    const other = await session(kit, { path: "/mcp/b" });
    for (const bad of [
      "",
      "10",
      "10.abc",
      `20${nextCursor.slice(2)}`,
      `${nextCursor}0`,
      5 as never,
    ])
      expect((await page(bad))?.error?.code).toBe(-32602);
    expect((await page(nextCursor, other))?.error?.code).toBe(-32602);
    const prompts = await told(await one.request("prompts/list", { cursor: nextCursor }));
    expect(answerTo(prompts)?.error?.code).toBe(-32602);
    expect((await page(nextCursor))?.result.tools[0].name).toBe("t10");
  });

  test("a list that changed between two pages is begun again", () => {
    const cursors = new Cursors(2);
    const { nextCursor } = cursors.page(["a", "b", "c"], nameOf, { key: "k", cursor: undefined });
    expect(cursors.page(["a", "b", "c"], nameOf, { key: "k", cursor: nextCursor })).toEqual({
      items: ["c"],
    });
    expect(() => cursors.page(["a", "x", "c"], nameOf, { key: "k", cursor: nextCursor })).toThrow(
      RpcError,
    );
    expect(() =>
      new Cursors(2).page(["a", "b", "c"], nameOf, { key: "k", cursor: nextCursor }),
    ).toThrow(RpcError);
  });
});

test("arguments that are an empty list are none: PHP and Lua write an empty object so", async () => {
  await using kit = gatewayOver({ a: full() });
  const one = await session(kit);
  const ask = async (method: string, params: object) =>
    answerTo(await told(await one.request(method, params)));
  expect(textOf(await ask("tools/call", { name: "cancelled", arguments: [] }))).toBe("0");
  expect(await ask("prompts/get", { name: "plain", arguments: [] })).toHaveProperty("result");
  const refused = await ask("tools/call", { name: "cancelled", arguments: ["x"] });
  expect(refused?.error?.code).toBe(-32602);
});
