/** A tool as users of a host know it. Pure. */
import { isObject, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Tool } from "../protocol/mcp.ts";
import type { NameEntry } from "./name-table.ts";
import type { HostTool } from "./types.ts";

/** What its server lists, by the name that it is shown by. */
export function toHostTool(tool: Tool, { name, server }: NameEntry): HostTool {
  const { title, description, inputSchema, outputSchema, annotations, raw } = tool;
  const more = Object.entries(raw).filter(([key]) => !read.has(key));
  return {
    name,
    server,
    tool: tool.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(isObject(raw.execution) && { execution: raw.execution }),
    // fromEntries defines each key, whatever it is called.
    ...(more.length > 0 && { more: Object.fromEntries(more) }),
  };
}

/** A tool with each digit of what its server lists of it: for whoever writes it down, not for whoever reads it. */
export function wholeTool(tool: HostTool): HostTool {
  const { inputSchema, outputSchema, annotations, execution, more } = tool;
  const entries = Object.entries(more ?? {}).map(([key, value]) => [key, withDigits(value)]);
  return {
    ...tool,
    inputSchema: withDigits(inputSchema),
    ...(outputSchema !== undefined && { outputSchema: withDigits(outputSchema) }),
    ...(annotations !== undefined && { annotations: withDigits(annotations) }),
    ...(execution !== undefined && { execution: withDigits(execution) }),
    ...(more !== undefined && { more: Object.fromEntries(entries) as JsonObject }),
  };
}

// --- internal ---

/** What of a tool has a place of its own. */
const read: ReadonlySet<string> = new Set([
  "name",
  "title",
  "description",
  "inputSchema",
  "outputSchema",
  "annotations",
  "execution",
]);
