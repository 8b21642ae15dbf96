/** A modern server by the official SDK 2.x on stdio, with what the conformance suite asks a server for. */
import {
  fromJsonSchema,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

import { registerAsking, states } from "./modern-input.ts";
import {
  headerSchema,
  plainTools,
  progress,
  prompts,
  resources,
  schemaTool,
  template,
  templateText,
} from "./things.ts";

serveStdio(() => {
  const server = new McpServer(
    { name: "conformance-modern", version: "1.0.0" },
    {
      capabilities: {
        logging: {},
        completions: {},
        resources: { subscribe: true, listChanged: true },
        tools: { listChanged: true },
        prompts: { listChanged: true },
      },
      instructions: "Everything here is for tests.",
      requestState: { verify: states.verify },
    },
  );

  for (const [name, content] of Object.entries(plainTools))
    server.registerTool(name, { description: `Answers ${name}` }, async () => ({ content }));

  server.registerTool("test_error_handling", { description: "Fails" }, async () => {
    throw new Error("This tool intentionally returns an error for testing");
  });

  server.registerTool(
    "test_tool_with_progress",
    { description: "Tells how far it is", inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        for (const step of progress) {
          const params = { progressToken, progress: step, total: 100, message: `step ${step}` };
          await mcpReq.notify({ method: "notifications/progress", params });
          await Bun.sleep(20);
        }
      return { content: [{ type: "text", text: "done" }] };
    },
  );

  server.registerTool(
    "test_logging_tool",
    { description: "Logs where it is asked to", inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      await mcpReq.log("info", "Diagnostic trace logging activated");
      return { content: [{ type: "text", text: "Logging evaluated" }] };
    },
  );

  server.registerTool("test_missing_capability", { description: "Needs a model" }, async () => {
    const params = { messages: [], maxTokens: 1 };
    return inputRequired({ inputRequests: { ask: inputRequired.createMessage(params) } });
  });

  server.registerTool(
    "test_streaming_elicitation",
    { description: "Tells how far it is before it answers", inputSchema: z.object({}) },
    async (_args, { mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      if (progressToken !== undefined)
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress: 50, total: 100 },
        });
      return { content: [{ type: "text", text: "Streaming complete" }] };
    },
  );

  server.registerTool(
    "test_trigger_tool_change",
    { description: "Changes the tools" },
    async () => {
      server.sendToolListChanged();
      return { content: [{ type: "text", text: "Mutation triggered" }] };
    },
  );
  server.registerTool(
    "test_trigger_prompt_change",
    { description: "Changes the prompts" },
    async () => {
      server.sendPromptListChanged();
      return { content: [{ type: "text", text: "Mutation triggered" }] };
    },
  );

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
          argsSchema: z.object(Object.fromEntries(args.map((arg) => [arg, z.string()]))),
        }),
      },
      async (given: Record<string, string>) => ({ messages: messages(given) }),
    );

  server.registerTool(
    schemaTool.name,
    {
      description: schemaTool.description,
      inputSchema: fromJsonSchema<Record<string, unknown>>(schemaTool.inputSchema),
    },
    async () => ({ content: [{ type: "text", text: "called" }] }),
  );
  server.registerTool(
    "test_x_mcp_header",
    {
      description: "Has arguments that headers repeat",
      inputSchema: fromJsonSchema<Record<string, unknown>>(headerSchema),
    },
    async (args) => ({ content: [{ type: "text", text: JSON.stringify(args) }] }),
  );
  registerAsking(server);

  server.server.setRequestHandler("completion/complete", async () => ({
    completion: { values: ["paris", "park"], total: 2, hasMore: false },
  }));
  return server;
});
