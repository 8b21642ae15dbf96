/** The trace that clients of each face bring goes on to servers: in `_meta`, and in headers where there are any. */
import { describe, expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { readTraceParent, traceHeaders } from "../../lib/protocol/trace.ts";
import { answerTo, enveloped, modernInit, session, textOf, told } from "./gateway-kit.ts";
import { serveOver } from "./kit.ts";
import type { Fixture } from "./kit.ts";
import { fixtureKit } from "./rest-kit.ts";

const trace = {
  traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  tracestate: "a=b,c=d",
  baggage: "user=ann",
};
const other = "00-11111111111111111111111111111111-2222222222222222-00";

const program = `import { serve, text, tool } from ${JSON.stringify(fixtureKit)};
  const meta = (_args, message) => text(JSON.stringify(message.params._meta ?? null));
  await serve({ tools: [tool("meta")], calls: { meta } });`;
const local = { s: { prefix: "s_", args: ["-e", program] } };

/** Everything but tools, each saying what `_meta` it was asked with. */
const features = `import { serve } from ${JSON.stringify(fixtureKit)};
  const reply = (result) => (message, server) =>
    server.reply(message, result(JSON.stringify(message.params._meta ?? null)));
  const on = {
    initialize: (message, server) => server.reply(message, {
      protocolVersion: message.params.protocolVersion,
      capabilities: { prompts: {}, resources: {}, completions: {} },
      serverInfo: { name: "fixture", version: "1" },
    }),
    "resources/list": reply(() => ({ resources: [{ uri: "a:b", name: "r" }] })),
    "resources/read": reply((text) => ({ contents: [{ uri: "a:b", text }] })),
    "prompts/list": reply(() => ({ prompts: [{ name: "p", arguments: [{ name: "a" }] }] })),
    "prompts/get": reply((text) => ({ messages: [{ role: "user", content: { type: "text", text } }] })),
    "completion/complete": reply((text) => ({ completion: { values: [text] } })),
  };
  await serve({ on });`;

/** What the server got, as its only text says. */
function got(all: Parameters<typeof answerTo>[0]): any {
  return JSON.parse(textOf(answerTo(all)));
}

describe("the gateway", () => {
  test("takes it from the headers of a request", async () => {
    await using kit = serveOver(local);
    const params = { name: "s_meta", arguments: {} };
    const init = modernInit("tools/call", params, { headers: trace });
    expect(got(await told(await kit.ask("/mcp", init)))).toMatchObject(trace);
    const client = await session(kit);
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    expect(got(await told(await client.ask({ json, headers: trace })))).toMatchObject(trace);
    const bad = { ...trace, traceparent: "00-x" };
    expect(got(await told(await client.ask({ json, headers: bad })))).not.toHaveProperty("baggage");
  });

  test("takes it for prompts, resources and completion, too; nothing of its own hop goes on", async () => {
    await using kit = serveOver({ s: { prefix: "s_", args: ["-e", features] } });
    const client = await session(kit, { path: "/mcp/s" });
    const ask = async (method: string, params: object) => {
      const _meta = { progressToken: "mine", "x/y": 1 };
      const json = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } };
      const { result } = answerTo(await told(await client.ask({ json, headers: trace }))) ?? {};
      const text =
        result.contents?.[0].text ??
        result.messages?.[0].content.text ??
        result.completion.values[0];
      const meta = JSON.parse(text);
      expect(meta).toMatchObject({ ...trace, "x/y": 1 });
      expect(meta.progressToken).not.toBe("mine");
    };
    await ask("resources/read", { uri: "a:b" });
    await ask("prompts/get", { name: "p" });
    const argument = { name: "a", value: "" };
    await ask("completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument });
  });

  test("takes it from the headers of a batch, and of what is posted beside a stream", async () => {
    await using kit = serveOver(local);
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "s_meta" } };
    const client = await session(kit, { revision: "2025-03-26" });
    const json = [call, { jsonrpc: "2.0", method: "notifications/x" }];
    expect(got(await told(await client.ask({ json, headers: trace })))).toMatchObject(trace);
    const reader = (await kit.ask("/sse")).body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const next = async (pattern: RegExp): Promise<string> => {
      while (!pattern.test(text)) text += (await reader.read()).value;
      return pattern.exec(text)?.[1] ?? "";
    };
    const address = await next(/^data: (\/messages.*)\n\n/m);
    const posted = { ...call, params: enveloped({ name: "s_meta", arguments: {} }) };
    expect((await kit.ask(address, { json: posted, headers: trace })).status).toBe(202);
    expect(got([JSON.parse(await next(/^data: (\{.*\})\n\n/m))])).toMatchObject(trace);
    await reader.cancel();
  });

  test("a trace in _meta of the request wins, whole", async () => {
    await using kit = serveOver(local);
    const client = await session(kit);
    const params = { name: "s_meta", arguments: {}, _meta: { traceparent: other, "x/y": 1 } };
    const json = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const meta = got(await told(await client.ask({ json, headers: trace })));
    expect(meta).toMatchObject({ traceparent: other, "x/y": 1 });
    expect(meta).not.toHaveProperty("tracestate");
    expect(meta).not.toHaveProperty("baggage");
    const mixed = { ...json, params: { ...params, _meta: { baggage: "mine=1" } } };
    expect(got(await told(await client.ask({ json: mixed, headers: trace })))).toMatchObject({
      ...trace,
      baggage: "mine=1",
    });
  });
});

/** A server over HTTP whose only tool says which headers its call came with. */
function headerServer(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      if (id === undefined) return new Response(null, { status: 202 });
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "h", version: "1" },
        },
        "tools/list": { tools: [{ name: "headers", inputSchema: { type: "object" } }] },
        "tools/call": {
          content: [{ type: "text", text: JSON.stringify(Object.fromEntries(request.headers)) }],
        },
      };
      const result = results[method];
      const error = { code: -32601, message: "Method not found" };
      return Response.json({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) });
    },
  });
}

test("a server that is reached over HTTP gets it in headers, too", async () => {
  await using server = headerServer();
  const remote: Fixture = { kind: "http", transport: "http", url: `${server.url}`, headers: {} };
  await using kit = serveOver({ s: { prefix: "s_", ...remote } as Fixture });
  const json = { tool: "s_headers" };
  const ask = async (headers: Record<string, string>) => {
    const answer = await kit.ask("/tools", { json, headers });
    return JSON.parse(((await answer.json()) as any).plain_text_response);
  };
  expect(await ask(trace)).toMatchObject(trace);
  const without = await ask({});
  for (const name of Object.keys(trace)) expect(without).not.toHaveProperty(name);
});

test.each<[string, JsonObject, Record<string, string>]>([
  ["a line break", { traceparent: other, tracestate: "a\r\nx: y" }, { traceparent: other }],
  ["no ASCII", { traceparent: other, baggage: "ü=1" }, { traceparent: other }],
  ["too long", { traceparent: other, baggage: "x".repeat(8193) }, { traceparent: other }],
  ["a number", { traceparent: 7, baggage: "a=b" }, {}],
  ["nonsense", { traceparent: "nonsense", baggage: "a=b" }, {}],
  ["nothing", {}, {}],
])("what no header can carry stays in _meta alone: %s", (_what, meta, headers) => {
  const params = { name: "t", _meta: meta };
  expect(traceHeaders({ jsonrpc: "2.0", id: 1, method: "tools/call", params })).toEqual(headers);
});

test("versions of later days are read as far as we know them", () => {
  const parsed = { traceId: "1".repeat(32), spanId: "2".repeat(16), isSampled: false };
  expect(readTraceParent(other)).toMatchObject(parsed);
  expect(readTraceParent(`01${other.slice(2)}-more`)).toMatchObject(parsed);
  expect(readTraceParent(`${other}-more`)).toBeUndefined();
  expect(readTraceParent(`01${other.slice(2)}more`)).toBeUndefined();
});
