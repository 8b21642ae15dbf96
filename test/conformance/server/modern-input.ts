/** What the conformance suite asks of input rounds: tools and a prompt that ask before they answer, by the official SDK 2.x. */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
} from "@modelcontextprotocol/server";
import type { ClientCapabilities, McpServer, ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

/** Its `verify` belongs into the options of the server. */
export const states = createRequestStateCodec({ key: crypto.getRandomValues(new Uint8Array(32)) });

export function registerAsking(server: McpServer): void {
  const tool = (name: string, ask: (context: ServerContext) => Promise<Asked> | Asked) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: `Asks: ${name}`, inputSchema: z.object({}) },
      async (_args, context) => {
        const asked = await ask(context);
        return typeof asked === "string" ? { content: [{ type: "text", text: asked }] } : asked;
      },
    );

  tool("elicitation", ({ mcpReq: { inputResponses } }) => {
    const given = acceptedContent(inputResponses, "user_name", who);
    return given ? `Hello, ${given.name}!` : inputRequired({ inputRequests: { user_name: name } });
  });
  tool("sampling", ({ mcpReq: { inputResponses } }) => {
    const given = inputResponse(inputResponses, "capital_question");
    if (given.kind === "sampling") return JSON.stringify(given.result.content);
    return inputRequired({ inputRequests: { capital_question: sample("The capital of France?") } });
  });
  tool("list_roots", ({ mcpReq: { inputResponses } }) => {
    const given = inputResponse(inputResponses, "client_roots");
    if (given.kind === "roots") return given.roots.map(({ uri }) => uri).join(" ");
    return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  tool("multiple_inputs", async ({ mcpReq: { inputResponses, requestState } }) => {
    const kinds = ["user_name", "greeting", "client_roots"].map(
      (key) => inputResponse(inputResponses, key).kind,
    );
    if (requestState() !== undefined && !kinds.includes("missing")) return kinds.join(" ");
    return inputRequired({
      inputRequests: {
        user_name: name,
        greeting: sample("Generate a greeting"),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await states.mint({ step: 1 }),
    });
  });
  for (const each of ["request_state", "tampered_state"])
    tool(each, async ({ mcpReq: { inputResponses, requestState } }) => {
      const given = acceptedContent(inputResponses, "confirm", confirmed);
      if (given && requestState() !== undefined) return "state-ok";
      return inputRequired({
        inputRequests: {
          confirm: inputRequired.elicit({ message: "Please confirm", requestedSchema: confirmed }),
        },
        requestState: await states.mint({ step: 1 }),
      });
    });
  tool("multi_round", async ({ mcpReq: { inputResponses, requestState } }) => {
    const { step } = requestState<{ step: number }>() ?? { step: 0 };
    const first = acceptedContent(inputResponses, "step1", who);
    const second = acceptedContent(inputResponses, "step2", color);
    if (step === 2 && second) return `It is ${second.color}.`;
    if (step === 1 && first)
      return inputRequired({
        inputRequests: {
          step2: inputRequired.elicit({ message: "Step 2: what color?", requestedSchema: color }),
        },
        requestState: await states.mint({ step: 2 }),
      });
    return inputRequired({
      inputRequests: { step1: name },
      requestState: await states.mint({ step: 1 }),
    });
  });
  tool("capabilities", ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
    const can = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? {};
    return inputRequired({
      inputRequests: {
        ...(can.sampling && { greeting: sample("Generate a greeting") }),
        ...(can.elicitation && { user_name: name }),
      },
    });
  });

  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for its context" },
    async ({ mcpReq: { inputResponses } }) => {
      const given = acceptedContent(inputResponses, "user_context", context);
      if (given === undefined)
        return inputRequired({
          inputRequests: {
            user_context: inputRequired.elicit({
              message: "What context should the prompt use?",
              requestedSchema: context,
            }),
          },
        });
      return { messages: [{ role: "user", content: { type: "text", text: given.context } }] };
    },
  );
}

// --- internal ---

/** A text, or that something is to be answered first. */
type Asked = string | ReturnType<typeof inputRequired>;

const who = z.object({ name: z.string() });
const color = z.object({ color: z.string() });
const confirmed = z.object({ ok: z.boolean() });
const context = z.object({ context: z.string() });

const name = inputRequired.elicit({ message: "What is your name?", requestedSchema: who });

function sample(text: string) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text } }],
    maxTokens: 100,
  });
}
