/** Many tools and odd names through the gateway: each is listed once, under a name that every client takes, and called by it. */
import { expect, test } from "bun:test";

import { oddNames } from "../fixtures/servers/faults/lists.ts";
import { answerTo, full, gatewayOver, modernInit, session, textOf, told } from "./gateway-kit.ts";
import { faulty } from "./rest-kit.ts";

type Session = Awaited<ReturnType<typeof session>>;

/** All names of tools, page for page. */
async function namesOf({ request }: Session): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const { result } = answerTo(await told(await request("tools/list", cursor ? { cursor } : {})))!;
    names.push(...result.tools.map(({ name }: { name: string }) => name));
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return names;
}

test("two servers with the same odd names: at /mcp under names of their own, at /mcp/SERVER as they are", async () => {
  await using kit = gatewayOver({ a: faulty("odd-names"), b: faulty("odd-names") });
  await kit.served.context.discovery.done;
  const all = await session(kit);
  const names = await namesOf(all);
  expect(new Set(names).size).toBe(2 * (oddNames.length + 1));
  for (const name of names) expect(name).toMatch(/^[\w-]{1,64}$/);
  const said: string[] = [];
  for (const name of names.filter((shown) => !shown.endsWith("_echo")))
    said.push(textOf(answerTo(await told(await all.call(name)))));
  expect(said).toEqual([...oddNames, ...oddNames]);

  const one = await session(kit, { path: "/mcp/b" });
  expect(await namesOf(one)).toEqual(["echo", ...oddNames]);
  for (const name of oddNames)
    expect(textOf(answerTo(await told(await one.call(name))))).toBe(name);
});

test.each(["legacy", "modern"] as const)(
  "the %s client of one of two servers is told what is wrong by the names that it can call by",
  async (era) => {
    await using kit = gatewayOver({ a: full("legacy"), b: full("modern") });
    const client = await session(kit, { path: "/mcp/b" });
    const say = async (method: string, params: object) => {
      const asked =
        era === "legacy"
          ? client.request(method, params)
          : kit.ask("/mcp/b", modernInit(method, params));
      const { result, error } = answerTo(await told(await asked))!;
      return [error?.code, error?.message ?? result.content[0].text, error?.data];
    };
    const argument = { name: "style", value: "" };
    const completion = { ref: { type: "ref/prompt", name: "gree" }, argument };
    for (let again = 0; again < 2; again++) {
      expect(await say("tools/call", { name: "echo" })).toEqual([
        undefined,
        "echo: argument text is missing\necho(text: string)",
        undefined,
      ]);
      for (const [method, params, message] of [
        ["tools/call", { name: "ech" }, 'no tool is called "ech"'],
        ["prompts/get", { name: "gree" }, 'no prompt is called "gree"'],
        ["prompts/get", { name: "greet" }, "greet: argument name is required"],
        ["completion/complete", completion, 'no prompt is called "gree"'],
      ] as const)
        expect(await say(method, params)).toEqual([-32602, message, undefined]);
    }
  },
);

test("B116 names that are the same once they are cleaned", async () => {
  const tools = ["x.y", "x_y", "x y", "x/y"].map((name) => ({
    name,
    inputSchema: { type: "object" },
  }));
  await using kit = gatewayOver({ s: { tools }, "s.x": { tools: [{ ...tools[0]!, name: "y" }] } });
  await kit.served.context.discovery.done;
  const client = await session(kit);
  const names = await namesOf(client);
  expect([names.length, new Set(names).size]).toEqual([5, 5]);
  for (const name of names) {
    expect(name).toMatch(/^[\w-]{1,64}$/);
    const answer = answerTo(await told(await client.call(name, { by: name })));
    expect(textOf(answer)).toBe(JSON.stringify({ by: name }));
  }
});

test("two servers of 1,000 tools with the same names, and one of 10,000: all are listed in pages, and called", async () => {
  const tools = Array.from({ length: 1000 }, (_, at) => ({
    name: `tool${at}`,
    inputSchema: { type: "object", properties: { text: { type: "string" } } },
  }));
  await using kit = gatewayOver({ a: { tools }, b: { tools }, c: faulty("many-tools") });
  await kit.served.context.discovery.done;
  const client = await session(kit);
  const names = await namesOf(client);
  expect([names.length, new Set(names).size]).toEqual([12_001, 12_001]);
  for (const name of ["a_tool0", "b_tool0", "a_tool999", "b_tool999"]) {
    const answer = answerTo(await told(await client.call(name, { text: name })));
    expect(textOf(answer)).toBe(JSON.stringify({ text: name }));
  }
  expect(textOf(answerTo(await told(await client.call("c_echo", { message: "m" }))))).toBe("m");
}, 30_000);
