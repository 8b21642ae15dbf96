/** A config file that holds servers and nothing else: no rule, no plugin, no limit, and no key that stands there twice. */
import { isObject } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";

/** Its servers by name, as written; undefined where it is anything else, or cannot be read. Reads it at once. */
export function serversAlone(file: string): JsonObject | undefined {
  try {
    const bytes = Bun.mmap(file);
    if (bytes.length > bytesMax) return undefined;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value = JSON.parse(text) as Json;
    // A key that stands there twice is told of.
    if (!isObject(value) || quotesIn(JSON.stringify(value)) !== quotesIn(text)) return undefined;
    const { mcpServers, ...others } = value;
    for (const _ in others) return undefined;
    return isObject(mcpServers) ? mcpServers : undefined;
  } catch {
    return undefined;
  }
}

// --- internal ---

const bytesMax = 65_536;

function quotesIn(text: string): number {
  return text.split('"').length;
}
