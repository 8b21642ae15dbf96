/** Why a command ended before it was done, in words. Pure. */
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";

/** The end by a signal. */
export function cancelled(signal: string): HostError {
  const words = { SIGINT: "interrupted", SIGTERM: "terminated", SIGHUP: "hung up" }[signal];
  return new HostError("cancelled", `${words ?? "ended"} (${signal})`, { facts: { signal } });
}

/** Why it ended, with the evidence of what was under way. */
export function merged(reason: unknown, error: unknown): unknown {
  if (!isHostError(reason) || !isHostError(error) || error === reason) return reason;
  const facts = { ...error.facts, ...reason.facts };
  const step = reason.code === "timeout" ? stepOf(error.facts) : "";
  const { hint } = reason;
  const options = { facts, ...(hint !== undefined && { hint }), cause: error };
  return new HostError(reason.code, `${reason.message}${step}`, options);
}

// --- internal ---

/** What was under way, as far as it is known. */
function stepOf({ server, method, tool, taskId, plugin, hook, doing }: Facts): string {
  if (typeof plugin === "string" && typeof hook === "string")
    return ` while plugin ${JSON.stringify(plugin)} was to answer ${hook}`;
  if (server === undefined) return "";
  if (typeof doing === "string") return ` while server "${server}" was ${doing}`;
  if (taskId !== undefined) return ` while task ${taskId} of server "${server}" was running`;
  if (typeof method !== "string" && tool !== undefined)
    return ` before ${tool} was sent to server "${server}"`;
  if (typeof method !== "string") return ` before server "${server}" was ready`;
  const what = tool === undefined ? method : `${method} of ${tool}`;
  return ` while server "${server}" was to answer ${what}`;
}
