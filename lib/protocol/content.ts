/**
 * Reads the content of a result into a small union for printing and saving. Nothing is lost and nothing decoded: a block
 * that is none of the known ones is `unknown` with its value as it came (protocol.md 1.13). Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ToolResult } from "./mcp.ts";

export type ContentBlock =
  | { kind: "text"; text: string }
  /** Binary; `base64` is not checked. `blob` is an embedded resource. */
  | {
      kind: "image" | "audio" | "blob";
      base64: string;
      mimeType: string | undefined;
      uri: string | undefined;
    }
  /** An embedded resource with text. */
  | { kind: "resource"; text: string; uri: string | undefined; mimeType: string | undefined }
  | {
      kind: "link";
      uri: string;
      name: string | undefined;
      title: string | undefined;
      mimeType: string | undefined;
    }
  | { kind: "unknown"; value: Json };

/** The blocks of a result in order. Absent or null content is empty; content that is no list is one block. */
export function readContent(result: ToolResult): ContentBlock[] {
  const content = result.content ?? [];
  if (!Array.isArray(content)) return [readBlock(content)];
  const blocks: ContentBlock[] = [];
  for (const block of content) blocks.push(readBlock(block));
  return blocks;
}

// --- internal ---

function readBlock(block: Json): ContentBlock {
  if (!isObject(block)) return { kind: "unknown", value: block };
  switch (block.type) {
    case "text":
      if (typeof block.text === "string") return { kind: "text", text: block.text };
      break;
    case "image":
    case "audio":
      if (typeof block.data === "string") return binary(block.type, block.data, block);
      break;
    case "resource":
      return readResource(block);
    case "resource_link":
      if (typeof block.uri === "string")
        return {
          kind: "link",
          uri: block.uri,
          name: textOf(block.name),
          title: textOf(block.title),
          mimeType: textOf(block.mimeType),
        };
      break;
  }
  return { kind: "unknown", value: block };
}

function readResource(block: JsonObject): ContentBlock {
  const { resource } = block;
  if (isObject(resource)) {
    const { text, blob } = resource;
    const uri = textOf(resource.uri);
    if (typeof text === "string")
      return { kind: "resource", text, uri, mimeType: textOf(resource.mimeType) };
    if (typeof blob === "string") return binary("blob", blob, resource);
  }
  return { kind: "unknown", value: block };
}

/** Some servers send a whole data: URL where the base64 alone belongs. */
function binary(kind: "image" | "audio" | "blob", data: string, from: JsonObject): ContentBlock {
  const prefix = /^data:([^;,]{0,200})(?:;[^,]{0,200})?;base64,/i.exec(data.slice(0, 500));
  return {
    kind,
    base64: prefix === null ? data : data.slice(prefix[0].length),
    mimeType: textOf(from.mimeType) ?? (prefix?.[1] === "" ? undefined : prefix?.[1]),
    uri: textOf(from.uri),
  };
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
