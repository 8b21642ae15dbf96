/** The tools of the legacy fixture server that ask the client before they answer. */
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { ElicitRequestFormParams } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export function registerAsking(server: McpServer): void {
  server.registerTool(
    "test_sampling",
    { description: "Asks for a message", inputSchema: { prompt: z.string() } },
    async ({ prompt }) => {
      const content = { type: "text" as const, text: prompt };
      const messages = [{ role: "user" as const, content }];
      const { content: said } = await server.server.createMessage({ messages, maxTokens: 100 });
      return { content: [{ type: "text", text: `LLM response: ${JSON.stringify(said)}` }] };
    },
  );
  server.registerTool(
    "test_elicitation",
    { description: "Asks for words", inputSchema: { message: z.string() } },
    async ({ message }, { requestId }) =>
      await elicited({ message, requestedSchema: schemas.plain }, requestId),
  );
  for (const name of ["sep1034_defaults", "sep1330_enums"] as const)
    server.registerTool(
      `test_elicitation_${name}`,
      { description: `Asks with ${name}`, inputSchema: {} },
      async (_args, { requestId }) =>
        await elicited({ message: "Please fill it in", requestedSchema: schemas[name] }, requestId),
    );

  async function elicited(params: ElicitRequestFormParams, relatedRequestId: string | number) {
    const { action, content } = await server.server.elicitInput(params, { relatedRequestId });
    const text = `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`;
    return { content: [{ type: "text" as const, text }] };
  }
}

// --- internal ---

type FormSchema = ElicitRequestFormParams["requestedSchema"];

const options = ["option1", "option2", "option3"];
const titled = (word: string) =>
  ["First", "Second", "Third"].map((title, at) => ({
    const: `value${at + 1}`,
    title: `${title} ${word}`,
  }));

const schemas = {
  plain: {
    type: "object",
    properties: { username: { type: "string" }, email: { type: "string", format: "email" } },
    required: ["username", "email"],
  },
  sep1034_defaults: {
    type: "object",
    properties: {
      name: { type: "string", default: "John Doe" },
      age: { type: "integer", default: 30 },
      score: { type: "number", default: 95.5 },
      status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
      verified: { type: "boolean", default: true },
    },
  },
  sep1330_enums: {
    type: "object",
    properties: {
      untitledSingle: { type: "string", enum: options },
      titledSingle: { type: "string", oneOf: titled("Option") },
      legacyEnum: {
        type: "string",
        enum: ["opt1", "opt2", "opt3"],
        enumNames: ["Option One", "Option Two", "Option Three"],
      },
      untitledMulti: { type: "array", items: { type: "string", enum: options } },
      titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
    },
  },
} satisfies Record<string, FormSchema>;
