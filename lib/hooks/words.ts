/** The words of plugins about a call, read strictly: whatever is none denies it. Pure. */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { Approval, BeforeCall, PluginCall } from "./hook-types.ts";
import { CallOccasion } from "./occasion.ts";
import { toResult } from "./result.ts";
import { nonsense } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";

export type AnyHook = Hooked<"beforeCall"> | Hooked<"approve">;

/** @throws HostError `denied`: it is no word */
export function readBefore(hook: AnyHook, found: unknown, view: PluginCall): BeforeCall {
  const wrong = () => nonsense(hook, new CallOccasion(view, 0), { found, expected: beforeWords });
  const said = readOnce(found);
  if (said === undefined) throw wrong();
  const keys = Object.keys(said).filter((key) => said[key] !== undefined);
  if (keys.length === 0 || keys.some((key) => !beforeKeys.has(key))) throw wrong();
  const { deny, ask, allow, arguments: args } = said;
  const decisions = [deny, ask, allow].filter((one) => one !== undefined);
  const isRead =
    decisions.length < 2 &&
    [deny, ask].every((one) => one === undefined || typeof one === "string") &&
    (allow === undefined || allow === true) &&
    (args === undefined || isObject(args));
  if (!isRead) throw wrong();
  return said as BeforeCall;
}

/** @throws HostError `denied`: it is no word */
export function readApproval(hook: AnyHook, found: unknown, view: PluginCall): Approval {
  const said = readOnce(found);
  if (said !== undefined) {
    const { approve, reject, arguments: args, ...rest } = said;
    const isPlain = Object.keys(rest).length === 0;
    if (isPlain && typeof reject === "string" && approve === undefined && args === undefined)
      return { reject };
    if (
      isPlain &&
      approve === true &&
      reject === undefined &&
      (args === undefined || isObject(args))
    )
      return said as unknown as Approval;
  }
  throw nonsense(hook, new CallOccasion(view, 0), { found, expected: approveWords });
}

/** @throws HostError `denied`: it is none */
export function resultOf(hook: AnyHook, view: PluginCall, given: unknown): ToolResult {
  try {
    return toResult(given);
  } catch {
    const expected = "a result: text, JSON, content blocks or a whole result";
    throw nonsense(hook, new CallOccasion(view, 0), { found: given, expected });
  }
}

/** @returns HostError `denied` */
export function denial(
  plugin: string,
  { server, tool, id }: PluginCall,
  reason: string,
): HostError {
  const why = reason.trim() === "" ? "" : `: ${reason}`;
  const text = `${tool} of server "${server}" is denied by plugin ${JSON.stringify(plugin)}${why}`;
  return new HostError("denied", text, { facts: { server, tool, plugin, reason, call: id } });
}

// --- internal ---

const beforeWords =
  "nothing, { deny: reason }, { ask: reason }, { allow: true }, { arguments } or { result }";
const approveWords = "nothing, { approve: true, arguments? } or { reject: reason }";
const beforeKeys = new Set(["deny", "ask", "allow", "arguments", "result"]);

/** What was answered, read once: whatever reads it may throw, or find something else the next time. */
function readOnce(found: unknown): JsonObject | undefined {
  try {
    return isObject(found) ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}
