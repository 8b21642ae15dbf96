/** Entries of servers that are not in order, as the official clients of both generations get them from the gateway. */
import { describe, expect, test } from "bun:test";

import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

import { full, gatewayOver } from "./gateway-kit.ts";

const info = { name: "test", version: "1" };

describe("entries that are not in order", () => {
  const object = { type: "object" };

  const schema = {
    type: ["object"],
    properties: { any: true, never: false, none: null, text: "string", kept: { type: "null" } },
    required: ["kept", null],
    more: null,
  };

  const icons = [{ src: "https://a/b.png", mimeType: null, sizes: "48x48", other: 1 }, { src: 5 }];

  const annotations = { audience: ["user", "robot"], priority: 5, lastModified: "2025-01-12" };

  const lists = {
    "tools/list": {
      tools: [
        { name: "odd", inputSchema: schema, outputSchema: { ...object, required: null }, icons },
        { name: "nulls", title: null, inputSchema: object, icons: null, _meta: null, own: null },
      ],
    },
    "prompts/list": {
      prompts: [
        { name: "p", description: 5, arguments: [null, { name: "a", required: "yes" }, {}] },
        { name: "q", arguments: null, icons: {} },
      ],
    },
    "resources/list": {
      resources: [{ uri: "x://1", name: "one", mimeType: 7, size: "9", annotations, _meta: [] }],
    },
    "resources/templates/list": {
      resourceTemplates: [{ uriTemplate: "x://{a}", name: "t", annotations: { priority: null } }],
    },
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, prompts: {}, resources: {} },
      serverInfo: { name: "odd", version: "1" },
    },
  };

  const program = `const lists = ${JSON.stringify(lists)};
    for await (const line of console) {
      const { id, method } = JSON.parse(line);
      const answer = lists[method] ? { result: lists[method] } : { error: { code: -32601, message: "" } };
      if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, ...answer }));
    }`;

  const odd = { command: process.execPath, args: ["-e", program] };

  test("cost a client of 1.x nothing, of no server, and keep what is right", async () => {
    await using kit = gatewayOver({ odd, good: full() });
    const client = new Client(info);
    await client.connect(new StreamableHTTPClientTransport(new URL(`${kit.served.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("good_echo");
    expect(tools.find(({ name }) => name === "odd_odd")).toMatchObject({
      inputSchema: {
        type: "object",
        properties: { any: {}, never: { not: {} }, none: {}, text: {}, kept: { type: "null" } },
        required: ["kept"],
        more: null,
      },
      icons: [{ src: "https://a/b.png" }],
    });
    const { prompts } = await client.listPrompts();
    expect(prompts.find(({ name }) => name === "odd_p")?.arguments).toEqual([{ name: "a" }]);
    const { resources } = await client.listResources();
    expect(resources.find(({ uri }) => uri === "x://1")).toEqual({
      uri: "x://1",
      name: "one",
      annotations: { audience: ["user"] },
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.find(({ name }) => name === "t")?.annotations).toEqual({});
    await client.close();
  });

  test("cost a client of 2026-07-28 nothing; its schemas stay as they came, but for the type", async () => {
    await using kit = gatewayOver({ odd, good: full() });
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(new ModernHttp(new URL(`${kit.served.url}/mcp`)));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("good_echo");
    const inputSchema = { ...schema, type: "object" };
    expect(tools.find(({ name }) => name === "odd_odd")).toMatchObject({ inputSchema });
    await client.listPrompts();
    await client.listResources();
    await client.close();
  });
});
