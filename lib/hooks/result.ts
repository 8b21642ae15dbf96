/** The result of a tool from whatever a plugin gives for one: text, a JSON value, content blocks, a whole result. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { plainJson } from "./frozen.ts";

/** `hasOutput`: the tool promises structured content. @throws TypeError for what is no JSON */
export function toResult(given: unknown, hasOutput = false): ToolResult {
  if (given === undefined) return { content: [] };
  const { value, text } = plainJson(given);
  if (isWhole(value)) return { content: [], ...value };
  if (isBlocks(value)) return { content: value };
  const content = [{ type: "text", text: typeof value === "string" ? value : text }];
  return hasOutput || isObject(value) ? { content, structuredContent: value } : { content };
}

// --- internal ---

const blockTypes: ReadonlySet<unknown> = new Set([
  "text",
  "image",
  "audio",
  "resource",
  "resource_link",
]);

function isBlocks(value: Json | undefined): value is JsonObject[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((block) => isObject(block) && blockTypes.has(block.type))
  );
}

function isWhole(value: Json): value is ToolResult {
  if (!isObject(value)) return false;
  const { content, isError, structuredContent } = value;
  if (content === undefined) return isError === true || structuredContent !== undefined;
  return isBlocks(content) || (Array.isArray(content) && content.length === 0);
}
