/**
 * Keeps the results of some tools for a minute: the same call again is answered without the server. Which tools is an
 * option, so a config names it: `"plugins": [["./cache.ts", { "tools": ["add"] }]]`.
 */
import { definePlugin, type PluginCall, type ToolResult } from "mcphost";

interface Options {
  /** Names of tools whose results may be kept. */
  tools: string[];
  keptMs?: number;
  entriesMax?: number;
}

const keyOf = ({ owner, server, tool, arguments: args }: PluginCall) =>
  JSON.stringify([owner, server, tool, args]);

export default definePlugin(({ tools, keptMs = 60_000, entriesMax = 1000 }: Options) => {
  const kept = new Map<string, { result: ToolResult; until: number }>();
  return {
    name: "cache",
    hooks: {
      beforeCall(call) {
        const found = kept.get(keyOf(call));
        if (found !== undefined && found.until > Date.now()) return { result: found.result };
        kept.delete(keyOf(call));
        return undefined;
      },
      afterCall(call, { status, result }) {
        const key = keyOf(call);
        if (status !== "completed" || !tools.includes(call.tool) || kept.has(key)) return;
        const [oldest] = kept.keys();
        if (kept.size >= entriesMax && oldest !== undefined) kept.delete(oldest);
        kept.set(key, { result, until: Date.now() + keptMs });
      },
    },
  };
});
