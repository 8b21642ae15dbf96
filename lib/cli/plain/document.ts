/** A config file that holds servers and nothing else: no rule, no plugin, no limit, and no key that stands there twice. */
import { isObject } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";

/** The text of a regular file of at most 64 KiB; undefined where it is none, or cannot be read. A pipe is not opened. */
export async function smallText(path: string): Promise<string | undefined> {
  try {
    const file = Bun.file(path);
    // Of what is no regular file it is without end.
    if (file.size > bytesMax) return undefined;
    const bytes = await file.slice(0, bytesMax).bytes();
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Its servers by name, as written; undefined where it is anything else. */
export function serversAlone(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    if (!isObject(value) || mayHaveTwice(text, value)) return undefined;
    const { mcpServers, ...others } = value;
    for (const _ in others) return undefined;
    return isObject(mcpServers) ? mcpServers : undefined;
  } catch {
    return undefined;
  }
}

/** It holds more than servers, or may do so. */
export async function mayHaveSay(file: string): Promise<boolean> {
  const text = await smallText(file);
  return text === undefined || serversAlone(text) === undefined;
}

/** It may hold plugins, which are asked before a server is started, or it is wrong. */
export async function mayForbid(file: string): Promise<boolean> {
  const text = await smallText(file);
  try {
    return text === undefined || hasPlugins(JSON.parse(text));
  } catch {
    return true;
  }
}

// --- internal ---

function hasPlugins(value: unknown): boolean {
  return !isObject(value) || value["plugins"] !== undefined;
}

const bytesMax = 65_536;

/** A key that stands there twice is told of: there are quotes that the value has not. */
function mayHaveTwice(text: string, value: JsonObject): boolean {
  return text.includes("\\u0022") || quotesIn(text) !== quotesIn(JSON.stringify(value));
}

function quotesIn(text: string): number {
  return text.split('"').length;
}
