/** A tool as `GET /tools` shows it: llama-server's own fields, and with them all that a careful client wants to know. Pure. */
import { wholeTool } from "../host/host-tool.ts";
import type { Judgement } from "../host/opened-types.ts";
import type { HostTool } from "../host/types.ts";
import { parametersOf } from "./tools-parameters.ts";

/**
 * One entry of the list. `permissions.write` is false and `uses_cwd` too, as llama-server has them for every tool of a
 * server; what is known of a tool's effects stands in `annotations`, and what the rules say of it in `policy`.
 */
export function toolEntry(tool: HostTool, policy: Judgement | undefined) {
  const { name, server, title, description = "" } = tool;
  const { inputSchema, outputSchema, annotations } = wholeTool(tool);
  const parameters = parametersOf(inputSchema);
  return {
    display_name: name,
    tool: name,
    type: "mcp",
    permissions: { write: false },
    uses_cwd: false,
    definition: { type: "function", function: { name, description, parameters } },
    server,
    name: tool.tool,
    ...(title !== undefined && { title }),
    ...(annotations !== undefined && { annotations }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(policy !== undefined && { policy }),
  };
}
