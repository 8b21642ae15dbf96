/**
 * The program that the official conformance suite examines: a host over the one server whose URL it is given, doing what
 * each scenario wants done (`MCP_CONFORMANCE_SCENARIO`, `MCP_CONFORMANCE_CONTEXT`). Only glue: it speaks no protocol.
 */
import { createHost } from "../../mcphost.ts";
import type { CallRequest, Host, JsonObject } from "../../mcphost.ts";

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: protocol } =
  process.env;
const context = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}");

await using host = await createHost({
  servers: { suite: { url: process.argv.at(-1)!, ...(protocol && { protocol }) } },
  answers: {
    // What is left out is filled in by its default.
    elicit: async () => ({ action: "accept", content: confirms() ? { confirmed: true } : {} }),
  },
  log: ({ level, text }) => void (level === "debug" || console.error(`${level}: ${text}`)),
});

const { tools, failed, warnings } = await host.tools();
for (const { error } of failed) throw error;
for (const { text } of warnings) console.error(text);
for (const request of callsFor(scenario)) await call(host, request);
if (scenario === "http-standard-headers") await useOthers(host);

function confirms(): boolean {
  return scenario === "sep-2322-client-request-state";
}

/** What to call: what the scenario names, or else every tool that is offered. */
function callsFor(name: string | undefined): Pick<CallRequest, "tool" | "arguments">[] {
  if (Array.isArray(context.toolCalls))
    return context.toolCalls.map((one: { name: string; arguments: JsonObject }) => {
      return { tool: one.name, arguments: one.arguments };
    });
  if (name === "tools_call") return [{ tool: "add_numbers", arguments: { a: 5, b: 3 } }];
  if (name === "json-schema-ref-no-deref") return [];
  if (name === "json-schema-2020-12-preservation") {
    const focal = tools.find(({ tool }) => tool === "json_schema_2020_12_tool");
    return [{ tool: "json_schema_echo", arguments: { schema: focal?.inputSchema ?? {} } }];
  }
  return tools.map(({ tool }) => {
    return { tool, arguments: tool === "valid_tool" ? { region: "eu" } : {} };
  });
}

async function call(
  { call: send }: Host,
  request: Pick<CallRequest, "tool" | "arguments">,
): Promise<void> {
  // The suite sends what a schema would not allow.
  const outcome = await send({ ...request, validate: false });
  console.log(request.tool, outcome.status);
  if ("error" in outcome && outcome.error) throw outcome.error;
}

async function useOthers({ resources, read, prompts, prompt }: Host): Promise<void> {
  for (const { uri } of (await resources()).resources) await read({ uri });
  for (const { name } of (await prompts()).prompts) await prompt({ prompt: name });
}
