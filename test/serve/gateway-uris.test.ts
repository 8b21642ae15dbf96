/** URIs behind the gateway: those of several servers, those that are none, and those that no list has. */
import { describe, expect, test } from "bun:test";

import { answerTo, full, gatewayOver, session, told } from "./gateway-kit.ts";
import { object } from "./rest-kit.ts";

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
});
