/** A legacy server by the official SDK 1.x on stdio, with what the conformance suite asks a server for. */
import { McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CompleteRequestSchema,
  ListToolsRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

import { registerAsking } from "./legacy-input.ts";
import {
  logs,
  plainTools,
  progress,
  prompts,
  resources,
  schemaTool,
  template,
  templateText,
} from "./things.ts";

const server = new McpServer(
  { name: "conformance-legacy", version: "1.0.0" },
  {
    capabilities: {
      logging: {},
      completions: {},
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
      prompts: { listChanged: true },
    },
    instructions: "Everything here is for tests.",
  },
);

for (const [name, content] of Object.entries(plainTools))
  server.registerTool(name, { description: `Answers ${name}` }, async () => ({ content }));

server.registerTool("test_error_handling", { description: "Fails" }, async () => {
  throw new Error("This tool intentionally returns an error for testing");
});

server.registerTool(
  "test_tool_with_logging",
  { description: "Logs while it works", inputSchema: {} },
  async (_args, { sendNotification }) => {
    for (const data of logs) {
      await sendNotification({ method: "notifications/message", params: { level: "info", data } });
      await Bun.sleep(20);
    }
    return { content: [{ type: "text", text: "Tool with logging executed successfully" }] };
  },
);

server.registerTool(
  "test_tool_with_progress",
  { description: "Tells how far it is", inputSchema: {} },
  async (_args, { sendNotification, _meta }) => {
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      for (const step of progress) {
        const params = { progressToken, progress: step, total: 100, message: `step ${step}` };
        await sendNotification({ method: "notifications/progress", params });
        await Bun.sleep(20);
      }
    return { content: [{ type: "text", text: "done" }] };
  },
);

registerAsking(server);

for (const [uri, content] of Object.entries(resources))
  server.registerResource(uri, uri, { title: uri, mimeType: content.mimeType }, async () => ({
    contents: [{ uri, ...content }],
  }));

server.registerResource(
  "template",
  new ResourceTemplate(template, { list: undefined }),
  { title: "Template", mimeType: "application/json" },
  async (uri, { id }) => ({
    contents: [{ uri: uri.href, mimeType: "application/json", text: templateText(String(id)) }],
  }),
);

for (const [name, { args, messages }] of Object.entries(prompts))
  server.registerPrompt(
    name,
    {
      description: `Makes ${name}`,
      ...(args.length > 0 && {
        argsSchema: Object.fromEntries(args.map((arg) => [arg, z.string()])),
      }),
    },
    async (given: Record<string, string>) => ({ messages: messages(given) }),
  );

server.server.setRequestHandler(SubscribeRequestSchema, async () => ({}));
server.server.setRequestHandler(UnsubscribeRequestSchema, async () => ({}));
server.server.setRequestHandler(CompleteRequestSchema, async () => ({
  completion: { values: ["paris", "park"], total: 2, hasMore: false },
}));

// Its schema is JSON as it is, which this SDK takes nowhere.
const handlers = Reflect.get(server.server, "_requestHandlers") as Map<string, ListTools>;
const listTools = handlers.get("tools/list");
server.server.setRequestHandler(ListToolsRequestSchema, async (request, extra) => {
  const { tools = [], ...rest } = (await listTools?.(request, extra)) ?? {};
  return { ...rest, tools: [...tools, schemaTool] };
});

type ListTools = (request: unknown, extra: unknown) => Promise<{ tools?: object[] }>;

await server.connect(new StdioServerTransport());
