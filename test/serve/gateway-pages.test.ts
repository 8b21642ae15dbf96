/** Pages that tools are shown by (MCP Apps): no list need have them, and the tools tell whose they are. */
import { expect, test } from "bun:test";

import { answerTo, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";
import type { Fixture } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

/** A server that gives each page its name, lists `listed`, and has a tool for each of the given `_meta`. */
function paged(name: string, metas: object[], listed: string[] = []): Fixture {
  const script = `
import { serve, tool } from ${JSON.stringify(fixtureKit)};
const metas = ${JSON.stringify(metas)};
const resources = ${JSON.stringify(listed)}.map((uri) => ({ uri, name: uri }));
await serve({
  tools: metas.map((_meta, at) => tool("t" + at, {}, { _meta })),
  capabilities: { tools: {}, resources: {} },
  on: {
    "resources/list": ({ id }, server) => server.reply({ id }, { resources }),
    "resources/templates/list": ({ id }, server) => server.reply({ id }, { resourceTemplates: [] }),
    "resources/read": ({ id, params: { uri } }, server) =>
      server.reply({ id }, { contents: [{ uri, text: ${JSON.stringify(name)} }] }),
  },
});`;
  return { command: process.execPath, args: ["-e", script] };
}

test("are read from the server whose tools name them, in every way that these do", async () => {
  const own = [
    { ui: { resourceUri: "ui://a/new" } },
    { "ui/resourceUri": "ui://a/old" },
    { "openai/outputTemplate": "ui://a/older" },
    { ui: { resourceUri: "ui://both" } },
    { ui: { resourceUri: "ui://listed" } },
  ];
  await using kit = gatewayOver({
    a: paged("a", own, ["ui://listed"]),
    b: paged("b", [{ ui: { resourceUri: "ui://both" } }], ["ui://listed"]),
  });
  const client = await session(kit);
  await told(await client.request("tools/list"));
  for (const uri of ["ui://a/new", "ui://a/old", "ui://a/older", "ui://listed"]) {
    const answer = answerTo(await told(await client.request("resources/read", { uri })));
    expect(answer?.result?.contents).toEqual([{ uri, text: "a" }]);
    const [modern] = await told(await kit.ask("/mcp", modernInit("resources/read", { uri })));
    expect(modern?.result?.contents).toEqual([{ uri, text: "a" }]);
  }
  for (const uri of ["ui://both", "ui://none"]) {
    const answer = answerTo(await told(await client.request("resources/read", { uri })));
    expect(answer?.error?.code).toBe(-32002);
  }
});
