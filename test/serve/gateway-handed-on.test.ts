/** What a server says beside its answers, or with more than the protocol names, reaches clients of the gateway as it was said. */
import { expect, test } from "bun:test";

import { answerTo, collect, gatewayOver, modernInit, session, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";
import type { Fixture } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

const script = `
import { serve, tool } from ${JSON.stringify(fixtureKit)};
const tell = (given) => ({ id, params }, server) => {
  const { progressToken } = params._meta ?? {};
  server.notify("notifications/message", { level: "info", data: "asked" });
  const meta = { "example.com/a": 1, "io.modelcontextprotocol/related-task": { taskId: "own" } };
  if (progressToken !== undefined) {
    server.notify("notifications/progress", { progressToken, progress: 1, message: "half", _meta: meta });
    server.notify("notifications/progress", { progressToken, progress: 2, total: 2 });
  }
  server.reply({ id }, given);
};
const suggestion = ({ id, params }, server) => {
  const { value } = params.argument;
  server.notify("notifications/message", { level: "info", data: "completed" });
  const completion = { values: Array.from({ length: Number(value) }, (_, at) => "v" + at), "x-rank": [1] };
  server.reply({ id }, { completion, "x-more": true, _meta: { "example.com/a": 1 } });
};
await serve({
  tools: [tool("hinted", {}, { annotations: { title: "T", readOnlyHint: true, idempotentHint: "yes", cost: { usd: 1 } } })],
  calls: { hinted: () => ({ content: [] }) },
  on: {
    initialize: ({ id, params: { protocolVersion } }, server) => server.reply({ id }, {
      protocolVersion,
      capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
      serverInfo: { name: "f", version: "1" },
    }),
    "prompts/list": ({ id }, server) => server.reply({ id }, { prompts: [{ name: "p" }] }),
    "prompts/get": tell({ messages: [] }),
    "resources/list": ({ id }, server) => server.reply({ id }, { resources: [{ uri: "x://a", name: "a" }] }),
    "resources/templates/list": ({ id }, server) => server.reply({ id }, { resourceTemplates: [{ uriTemplate: "y://{b}", name: "y" }] }),
    "resources/read": ({ id, params }, server) => params.uri === "x://a"
      ? tell({ contents: [] })({ id, params }, server)
      : server.send({ jsonrpc: "2.0", id, error: { code: -32002, message: "none", data: ["why"] } }),
    "completion/complete": suggestion,
  },
});`;
const talkative: Record<string, Fixture> = { s: { args: ["-e", script] } };

test.each([
  ["prompts/get", { name: "s_p" }],
  ["resources/read", { uri: "x://a" }],
])("the progress of %s reaches its client, with what is said beside it", async (method, params) => {
  await using kit = gatewayOver(talkative);
  const legacy = await session(kit);
  const meta = { progressToken: "t" };
  const ways = [
    () => legacy.request(method, { ...params, _meta: meta }),
    () => kit.ask("/mcp", modernInit(method, params, { meta })),
  ];
  for (const way of ways) {
    const all = await told(await way());
    const progress = all.filter((one) => one.method === "notifications/progress");
    expect(progress.map((one) => one.params)).toEqual([
      { progressToken: "t", progress: 1, message: "half", _meta: { "example.com/a": 1 } },
      { progressToken: "t", progress: 2, total: 2 },
    ]);
    expect(all.at(-1)).toMatchObject({ result: {} });
  }
  const silent = await told(await legacy.request(method, params));
  expect(silent.filter((one) => one.method === "notifications/progress")).toEqual([]);
});

test("a completion is handed on as its server gave it, with at most 100 values", async () => {
  await using kit = gatewayOver(talkative);
  const client = await session(kit);
  const complete = async (value: string) => {
    const params = { ref: { type: "ref/prompt", name: "s_p" }, argument: { name: "a", value } };
    return answerTo(await told(await client.request("completion/complete", params)))?.result;
  };
  expect(await complete("2")).toEqual({
    completion: { values: ["v0", "v1"], "x-rank": [1] },
    "x-more": true,
    _meta: { "example.com/a": 1 },
  });
  const many = await complete("101");
  expect(many.completion.values).toHaveLength(100);
  expect(many.completion).toMatchObject({ hasMore: true, "x-rank": [1] });
});

test("annotations of a tool keep what nobody knows", async () => {
  await using kit = gatewayOver(talkative);
  const client = await session(kit);
  const { result } = answerTo(await told(await client.request("tools/list"))) ?? {};
  const annotations = { title: "T", readOnlyHint: true, cost: { usd: 1 } };
  expect(result.tools[1].annotations).toEqual(annotations);
});

test("the data of a resource that is not found are handed on, whatever they are", async () => {
  await using kit = gatewayOver(talkative);
  const client = await session(kit, { path: "/mcp/s" });
  const answer = answerTo(await told(await client.request("resources/read", { uri: "x://b" })));
  expect(answer?.error).toEqual({ code: -32002, message: "none", data: ["why"] });
});

function logs(all: readonly Told[]): Told[] {
  return all.filter((message) => message.method === "notifications/message");
}

test.each<[string, object]>([
  ["prompts/get", { name: "s_p" }],
  ["resources/read", { uri: "x://a" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "s_p" }, argument: { name: "a", value: "1" } },
  ],
  [
    "completion/complete",
    { ref: { type: "ref/resource", uri: "y://{b}" }, argument: { name: "b", value: "1" } },
  ],
])("what a server logs about %s of %j is told to who asked alone", async (method, params) => {
  await using kit = gatewayOver({ ...talkative, other: {} });
  const [one, other] = [await session(kit), await session(kit)];
  const elsewhere = collect(await other.ask({ headers: { accept: "text/event-stream" } }));
  expect(logs(await told(await one.request(method, params)))).toHaveLength(1);
  const meta = { "io.modelcontextprotocol/logLevel": "info" };
  const own = await told(await kit.ask("/mcp", modernInit(method, params, { meta })));
  expect(logs(own)).toHaveLength(1);
  await told(await other.request("ping"));
  expect(logs(elsewhere)).toEqual([]);
});

/** A server of 2026-07-28 that logs what it was asked to log. */
const modest: Fixture = {
  args: [
    "-e",
    `
import { serve } from ${JSON.stringify(fixtureKit)};
const prefix = "io.modelcontextprotocol/";
const complete = (result) => ({ id }, server) =>
  server.reply({ id }, { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result });
const logged = (result) => ({ id, params }, server) => {
  const level = params._meta[prefix + "logLevel"];
  if (level !== undefined) server.notify("notifications/message", { level, data: "of its own" });
  complete(result)({ id }, server);
};
await serve({ on: {
  "server/discover": complete({
    supportedVersions: ["2026-07-28"],
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
  }),
  "tools/list": complete({ tools: [{ name: "t", inputSchema: { type: "object" } }] }),
  "prompts/list": complete({ prompts: [{ name: "p" }] }),
  "resources/list": complete({ resources: [{ uri: "x://a", name: "a" }] }),
  "resources/templates/list": complete({ resourceTemplates: [] }),
  "tools/call": logged({ content: [] }),
  "prompts/get": logged({ messages: [] }),
  "resources/read": logged({ contents: [] }),
  "completion/complete": logged({ completion: { values: [] } }),
} });`,
  ],
};

const requests: [string, { name?: string; uri?: string; ref?: object; argument?: object }][] = [
  ["tools/call", { name: "t" }],
  ["prompts/get", { name: "p" }],
  ["resources/read", { uri: "x://a" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "1" } },
  ],
];

test.each(requests)(
  "a modern server is told with %s what the client wants to hear of logs",
  async (method, params) => {
    await using kit = gatewayOver({ s: modest });
    const meta = { "io.modelcontextprotocol/logLevel": "debug" };
    const own = await told(await kit.ask("/mcp/s", modernInit(method, params, { meta })));
    expect(logs(own)).toMatchObject([{ params: { level: "debug" } }]);
    const silent = await told(await kit.ask("/mcp/s", modernInit(method, params)));
    expect(logs(silent)).toEqual([]);
    for (const capabilities of [{}, { sampling: {} }]) {
      const client = await session(kit, { path: "/mcp/s", capabilities });
      for (const level of ["warning", "notice"]) {
        await told(await client.request("logging/setLevel", { level }));
        const all = await told(await client.request(method, params));
        expect(logs(all)).toMatchObject([{ params: { level } }]);
      }
    }
  },
);
