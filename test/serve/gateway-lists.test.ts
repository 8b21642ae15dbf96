/** The gateway's lists: several servers as one, in pages, without those that are late; and entries as old clients take them. */
import { describe, expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { knowledgeOf } from "../../lib/protocol/revisions.ts";
import type { Knowledge } from "../../lib/protocol/revisions.ts";
import { Cursors } from "../../lib/serve/gateway-cursors.ts";
import { ownText, resultText } from "../../lib/serve/gateway-results.ts";
import { entry } from "../cases/kit.ts";
import { waitFor } from "../processes.ts";
import {
  answerTo,
  collect,
  full,
  gatewayOver,
  modernInit,
  session,
  textOf,
  told,
} from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";

const knows = (revision: string) => knowledgeOf(revision) as Knowledge;
const object = { type: "object" };
const nameOf = (name: string) => name;
const answer = (result: object) => ({ result: result as never, raw: JSON.stringify(result) });
const audio = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
const link = { type: "resource_link", uri: "note://one", name: "one" };

const shown = (revision: string, result: object) =>
  JSON.parse(resultText(answer(result), knows(revision))) as { content: unknown[] };

/** A server of these resources, each of which holds its own URI, and of what else it answers. */
function oddServer(uris: readonly string[], more: object = {}) {
  const resources = uris.map((uri) => ({ uri, name: uri }));
  const program = `for await (const line of console) {
    const { id, method, params } = JSON.parse(line);
    const result = {
      initialize: { protocolVersion: "2025-06-18", capabilities: { resources: {}, tools: {}, prompts: {} }, serverInfo: { name: "odd", version: "1" } },
      "resources/list": ${JSON.stringify({ resources })},
      "resources/templates/list": { resourceTemplates: [] },
      "resources/read": { contents: [{ uri: params?.uri, text: "of " + params?.uri }] },
      ...${JSON.stringify(more)},
    }[method];
    const answer = result ? { result } : { error: { code: -32601, message: "" } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
  }`;
  return { command: process.execPath, args: ["-e", program] };
}

/** A server with a tool that links to what no list has, and a prompt that has in it what others have, too. */
function linking(name: string, uri: string) {
  const resource = { uri: "x://1", text: "" };
  const content = { type: "resource_link", uri, name };
  return oddServer(["x://1"], {
    "resources/read": { contents: [{ uri, text: name }] },
    "tools/list": { tools: [{ name: "report", inputSchema: object }] },
    "tools/call": { content: [content] },
    "prompts/list": { prompts: [{ name: "about" }] },
    "prompts/get": { messages: [{ role: "user", content: { type: "resource", resource } }] },
  });
}

describe("several servers as one", () => {
  test("a URI that two servers have is shown under both, and read of the right one", async () => {
    await using kit = gatewayOver({ a: full(), b: full("modern") });
    const one = await session(kit);
    const listed = answerTo(await told(await one.request("resources/list")))?.result.resources;
    const uris = listed.map(({ uri }: { uri: string }) => uri);
    expect(uris).toContain("mcphost:a/note://one");
    expect(uris).toContain("mcphost:b/note://one");
    // Strict clients throw a whole list away for one that is no URI.
    expect(uris.filter((uri: string) => !URL.canParse(uri))).toEqual([]);
    await told(await one.call("b_touch", { uri: "note://one" }));
    const read = async (uri: string) =>
      answerTo(await told(await one.request("resources/read", { uri })));
    expect((await read("mcphost:a/note://one"))?.result.contents[0]).toMatchObject({
      uri: "mcphost:a/note://one",
      text: "first",
    });
    // The host's own words are understood, too.
    for (const uri of ["mcphost:b/note://one", "b/note://one"])
      expect((await read(uri))?.result.contents[0]).toMatchObject({
        uri,
        text: "first, touched 1",
      });
    const unclear = await read("note://one");
    expect([unclear?.error?.code, unclear?.error?.data]).toEqual([-32002, { uri: "note://one" }]);
  });

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

  test("a URI that a client writes anew is its server's own", async () => {
    const own = ["file:///docs/café a.txt", "UPPER://Host/Path"];
    const a = oddServer(own);
    await using kit = gatewayOver({ a, b: full() });
    const one = await session(kit);
    // As pydantic writes them; the server compares text.
    for (const [at, uri] of ["file:///docs/caf%C3%A9%20a.txt", "upper://Host/Path"].entries()) {
      const read = answerTo(await told(await one.request("resources/read", { uri })));
      expect(read?.result.contents).toEqual([{ uri, text: `of ${own[at]}` }]);
    }
  });

  test("what is no URI is shown under one beside other servers, and as it is where its server is alone", async () => {
    const odd = ["users/me", "mcphost:b/x://1"];
    const a = oddServer(odd);
    await using kit = gatewayOver({ a, b: full() });
    for (const [path, expected] of [
      ["/mcp", ["mcphost:a/users/me", "mcphost:a/mcphost:b/x://1"]],
      ["/mcp/a", odd],
    ] as const) {
      const one = await session(kit, { path });
      const listed = answerTo(await told(await one.request("resources/list")))?.result.resources;
      const uris = listed.map(({ uri }: { uri: string }) => uri);
      expect(uris).toEqual(expect.arrayContaining([...expected]));
      for (const [at, uri] of expected.entries()) {
        const read = answerTo(await told(await one.request("resources/read", { uri })));
        expect(read?.result.contents).toEqual([{ uri, text: `of ${odd[at]}` }]);
      }
    }
  });

  test("what a tool or a prompt links to is read of its server, though no list has it or several do", async () => {
    const [a, b] = [linking("a", "report://1"), linking("b", "report://2")];
    await using kit = gatewayOver({ a: { ...a, prefix: "a_" }, b: { ...b, prefix: "b_" } });
    const one = await session(kit);
    const read = async (uri: string) => {
      const reply = answerTo(await told(await one.request("resources/read", { uri })));
      return reply?.result?.contents[0].text ?? reply?.error?.message;
    };
    expect(await read("report://1")).toBe('no server lists "report://1"');
    await told(await one.call("a_report"));
    await told(await one.call("b_report"));
    expect([await read("report://1"), await read("report://2")]).toEqual(["a", "b"]);
    expect(await read("x://1")).toStartWith("several servers have");
    await told(await one.request("prompts/get", { name: "b_about" }));
    expect(await read("x://1")).toBe("b");
    // Which of them is meant nobody can tell any more.
    await told(await one.request("prompts/get", { name: "a_about" }));
    expect(await read("x://1")).toStartWith("several servers have");
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

describe("what old revisions do not know is left out", () => {
  const rich = {
    name: "rich",
    title: "Rich",
    icons: [{ src: "data:image/png;base64,AAAA" }],
    annotations: { readOnlyHint: true },
    inputSchema: {},
    outputSchema: { type: "array" },
    execution: { taskSupport: "optional" },
    _meta: { "example.org/x": 1 },
    futureField: 1,
  };

  test.each([
    ["2024-11-05", ["_meta", "futureField", "inputSchema", "name"]],
    ["2025-03-26", ["_meta", "annotations", "futureField", "inputSchema", "name"]],
    ["2025-06-18", ["_meta", "annotations", "futureField", "inputSchema", "name", "title"]],
    [
      "2025-11-25",
      ["_meta", "annotations", "execution", "futureField", "icons", "inputSchema", "name", "title"],
    ],
  ])("of a tool for %s", async (revision, keys) => {
    await using kit = gatewayOver({ s: { tools: [rich] } });
    const one = await session(kit, { revision });
    const result = answerTo(await told(await one.request("tools/list")))?.result;
    expect(Object.keys(result)).toEqual(["tools"]);
    const [tool] = result.tools;
    expect(Object.keys(tool).toSorted()).toEqual(keys);
    expect(tool.inputSchema).toEqual(object);
  });

  test("of a tool for 2026-07-28 nothing is, and what must be there is", async () => {
    await using kit = gatewayOver({ s: { tools: [rich] } });
    const result = (await told(await kit.ask("/mcp", modernInit("tools/list"))))[0]?.result;
    expect(result).toMatchObject({ resultType: "complete", ttlMs: 0, cacheScope: "private" });
    expect(result.tools[0]).toMatchObject({ outputSchema: { type: "array" }, icons: rich.icons });
  });

  test("of content, structured content and modern fields", () => {
    const content = [{ type: "text", text: "t" }, audio, link];
    expect(
      shown("2024-11-05", { content }).content.map((block) => (block as { type: string }).type),
    ).toEqual(["text", "text", "text"]);
    expect(shown("2025-03-26", { content }).content[1]).toEqual(audio);
    expect(shown("2025-03-26", { content }).content[2]).toEqual({
      type: "text",
      text: "note://one",
    });
    expect(shown("2025-06-18", { content }).content[2]).toEqual(link);
    const structuredContent = [1];
    expect(shown("2025-11-25", { content, structuredContent })).toEqual({ content });
    // Unless nothing would be left of it.
    expect(shown("2025-03-26", { content: [], structuredContent: {} })).toEqual({
      content: [{ type: "text", text: "{}" }],
    });
    expect(shown("2026-07-28", { content, structuredContent })).toMatchObject({
      structuredContent,
      resultType: "complete",
    });
    expect(
      shown("2025-11-25", { content, resultType: "complete", ttlMs: 5, cacheScope: "public" }),
    ).toEqual({ content });
  });

  test("what needs no change keeps its bytes", () => {
    const raw = '{ "content" : [],\n "n": 1.50, "big": 12345678901234567890 }';
    const kept = { result: JSON.parse(raw), raw };
    expect(resultText(kept, knows("2025-11-25"))).toBe(raw);
    const modern = resultText(kept, knows("2026-07-28"));
    expect(modern.endsWith(raw.slice(1))).toBe(true);
    expect(JSON.parse(modern)).toMatchObject({ resultType: "complete", n: 1.5 });
    expect(JSON.parse(resultText(answer({}), knows("2026-07-28")))).toMatchObject({
      resultType: "complete",
    });
    expect(resultText(answer({}), knows("2024-11-05"))).toBe("{}");
    expect(ownText({}, knows("2025-11-25"))).toBe("{}");
  });

  test("a revision that nobody knows has no knowledge", () => {
    expect(knowledgeOf("2099-01-01")).toBeUndefined();
    expect(knowledgeOf("toString")).toBeUndefined();
  });
});

test("digits of arguments and results stay as they are", async () => {
  await using kit = gatewayOver({ s: {} });
  const one = await session(kit);
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":12345678901234567890,"__proto__":{"x":1}}}}`;
  const response = await one.ask({
    method: "POST",
    body,
    headers: { "content-type": "application/json" },
  });
  expect(await response.text()).toContain(
    '{\\"n\\":12345678901234567000,\\"__proto__\\":{\\"x\\":1}}',
  );
});

test("digits of lists, schemas and errors stay as they are", async () => {
  const big = "9223372036854775807";
  await using kit = serveOver({ a: entry("lists.digits", {}, big) });
  const one = await session(kit);
  const all: string[] = [];
  for (const list of ["tools", "prompts", "resources"])
    all.push(await (await one.request(`${list}/list`)).text());
  all.push(await (await one.call("big", {})).text());
  for (const path of ["/tools", "/openapi.json"]) all.push(await (await kit.ask(path)).text());
  const bigs = all.map((text) => Array.from(text.matchAll(/922337203685477\d+/g), String));
  expect(bigs).toEqual([4, 1, 1, 1, 3, 3].map((count) => Array(count).fill(big)));
});

test("digits stay where a result is written anew: of a modern server for a legacy client, of a URI of two servers", async () => {
  const big = "9007199254740993";
  const answers = {
    "server/discover": `"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}, "resources": {}}`,
    "tools/list": `"tools": [{"name": "big", "inputSchema": {"type": "object"}}]`,
    "tools/call": `"content": [], "structuredContent": {"id": ${big}}`,
    "resources/list": `"resources": [{"uri": "x://1", "name": "x"}]`,
    "resources/templates/list": `"resourceTemplates": []`,
    "resources/read": `"contents": [{"uri": "x://1", "text": "", "_meta": {"id": ${big}}}]`,
  };
  const program = `const answers = ${JSON.stringify(answers)};
    for await (const line of console) {
      const { id, method } = JSON.parse(line);
      const result = '{"resultType": "complete", "ttlMs": 0, "cacheScope": "private", ' + answers[method] + "}";
      if (id !== undefined) console.log('{"jsonrpc": "2.0", "id": ' + id + ', "result": ' + result + "}");
    }`;
  const server = { command: process.execPath, args: ["-e", program] };
  await using kit = gatewayOver({ a: server, b: server });
  const one = await session(kit);
  const params = { name: "a_big", arguments: {} };
  const called = await one.ask({ json: { jsonrpc: "2.0", id: 1, method: "tools/call", params } });
  expect(await called.text()).toContain(`"structuredContent":{"id":${big}}`);
  const read = { uri: "mcphost:a/x://1" };
  const reading = { json: { jsonrpc: "2.0", id: 2, method: "resources/read", params: read } };
  expect(await (await one.ask(reading)).text()).toContain(`"_meta":{"id":${big}}`);
});
