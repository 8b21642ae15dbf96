/** The host as a tool of a plugin sees it: what it calls in turn is for whoever called it, and goes through the same gate. */
import { HostError } from "../base/errors.ts";
import type { Call } from "../hooks/call.ts";
import type { PluginHost } from "../hooks/plugin-tool.ts";
import type { OpenedHost } from "./opened-types.ts";
import { failureOf } from "./outcome.ts";

/** Tools that call each other go no deeper: most likely they would never end. */
const depthMax = 32;

/**
 * By the id of the call that a tool runs for.
 * @param calls those that are under way
 * @param host as its tools are offered; it may not be there yet
 */
export function pluginHosts(
  calls: ReadonlyMap<string, Call>,
  host: () => OpenedHost,
): (id: string | undefined) => PluginHost {
  /** Of calls that tools made, how many stand above each. */
  const depths = new Map<string, number>();
  return (outer = "") => {
    const call = calls.get(outer);
    const whose = call && { actor: call.actor, owner: call.owner, signal: call.signal };
    return {
      async call({ tool, arguments: args, timeoutMs }) {
        const depth = (depths.get(outer) ?? 0) + 1;
        if (depth > depthMax) return failureOf(tooDeep(tool), { sent: false, durationMs: 0 });
        const id = crypto.randomUUID();
        depths.set(id, depth);
        try {
          return await host().call({
            id,
            tool,
            ...(args && { arguments: args }),
            ...(timeoutMs !== undefined && { timeoutMs }),
            ...whose,
          });
        } finally {
          depths.delete(id);
        }
      },
      tools: async () => (await host().knownTools()).tools,
    };
  };
}

// --- internal ---

function tooDeep(tool: string): HostError {
  const text = `${tool}: tools of plugins call each other more than ${depthMax} deep`;
  return new HostError("usage", text, { facts: { tool } });
}
