/**
 * What plugins say before a call is made, and what they say of one that is asked about: their words are read strictly, and
 * whatever is none denies the call. It makes no call and asks no person.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { plainJson } from "./frozen.ts";
import type { Approval, BeforeCall, PluginCall, Question } from "./hook-types.ts";
import { CallOccasion } from "./occasion.ts";
import { toResult } from "./result.ts";
import { answerOf, fault, nonsense } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";

/** The call that is decided about. */
export interface Proposed {
  /** As it stands by now. */
  view(): PluginCall;
  /** Fires when it is given up. */
  readonly signal: AbortSignal;
  /**
   * Takes other arguments, validates them, and applies the rules again.
   * @throws HostError `denied` by a rule; `usage` where they do not fit
   */
  revise(args: JsonObject): Promise<void>;
}

/** What all plugins together say before a call. */
export interface Said {
  /** Why it is to be asked about: each plugin that asks, and its reason. */
  asks: string[];
  /** A plugin allows it. */
  isAllowed: boolean;
  /** The first answer that was given in place of the server's. */
  result?: ToolResult;
}

type Limits = { timeoutMs: number; signal: AbortSignal };

export const nothingSaid: Said = Object.freeze({
  asks: Object.freeze<string[]>([]) as string[],
  isAllowed: false,
});

/**
 * `nothingSaid`, at once, where no plugin has anything to say, as is usual.
 * @throws HostError `denied` (by a plugin, by a rule, by a plugin's fault); the reason of the signal
 */
export function askPlugins(
  hooks: readonly Hooked<"beforeCall">[],
  call: Proposed,
  timeoutMs: number,
): Said | Promise<Said> {
  const view = call.view();
  const occasion = new CallOccasion(view, timeoutMs, call);
  const run = (hook: Hooked<"beforeCall">) => hook.run(view);
  for (let at = 0; at < hooks.length; at++) {
    const answer = answerOf(hooks[at]!, occasion, run);
    if (answer !== undefined) return heard(hooks.slice(at), answer, call, timeoutMs);
  }
  return nothingSaid;
}

/**
 * The word of the first plugin that has one; undefined where none has.
 * @throws HostError `denied`: it is rejected, or a plugin is at fault; the reason of the signal
 */
export async function approvedBy(
  hooks: readonly Hooked<"approve">[],
  call: Proposed,
  question: Question,
  { timeoutMs, signal }: Limits,
): Promise<string | undefined> {
  const view = call.view();
  const occasion = new CallOccasion(view, timeoutMs, { signal });
  for (const hook of hooks) {
    const given = answerOf(hook, occasion, () => hook.run(view, question));
    const answer = given instanceof Promise ? await given : given;
    if (answer === undefined || answer === null) continue;
    const word = readApproval(hook, answer, view);
    if ("reject" in word) throw denial(hook.plugin, view, word.reject);
    if (word.arguments !== undefined) await revised(hook, call, view, word.arguments);
    return hook.plugin;
  }
  return undefined;
}

// --- internal ---

/** What all say, the first of whom has given an answer. */
async function heard(
  hooks: readonly Hooked<"beforeCall">[],
  first: ReturnType<typeof answerOf<"beforeCall", unknown>>,
  call: Proposed,
  timeoutMs: number,
): Promise<Said> {
  const said: Said = { asks: [], isAllowed: false };
  let view = call.view();
  const occasion = new CallOccasion(view, timeoutMs, call);
  const run = (hook: Hooked<"beforeCall">): unknown => hook.run(view);
  for (const [at, hook] of hooks.entries()) {
    const given = at === 0 ? first : answerOf(hook, occasion, run);
    const answer = given instanceof Promise ? await given : given;
    if (answer === undefined || answer === null) continue;
    const { deny, ask, allow, arguments: args, result } = readBefore(hook, answer, view);
    if (deny !== undefined) throw denial(hook.plugin, view, deny);
    if (ask !== undefined) said.asks.push(`plugin ${JSON.stringify(hook.plugin)}: ${ask}`);
    if (allow === true) said.isAllowed = true;
    if (args !== undefined) {
      await revised(hook, call, view, args);
      view = call.view();
    }
    if (result !== undefined) said.result ??= resultOf(hook, view, result);
  }
  return said;
}

type AnyHook = Hooked<"beforeCall"> | Hooked<"approve">;

const beforeWords =
  "nothing, { deny: reason }, { ask: reason }, { allow: true }, { arguments } or { result }";
const approveWords = "nothing, { approve: true, arguments? } or { reject: reason }";
const beforeKeys = new Set(["deny", "ask", "allow", "arguments", "result"]);

function readBefore(hook: AnyHook, found: unknown, view: PluginCall): BeforeCall {
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

function readApproval(hook: AnyHook, found: unknown, view: PluginCall): Approval {
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

/** Arguments that do not fit are the plugin's fault, not that of whoever asked. */
async function revised(
  hook: AnyHook,
  call: Proposed,
  view: PluginCall,
  args: JsonObject,
): Promise<void> {
  try {
    await call.revise(plainJson(args).value as JsonObject);
  } catch (error) {
    if (isHostError(error) && error.code !== "usage") throw error;
    const text = error instanceof Error ? error.message : String(error);
    throw fault(hook, new CallOccasion(view, 0), `gave arguments that do not fit: ${text}`, error);
  }
}

function resultOf(hook: AnyHook, view: PluginCall, given: unknown): ToolResult {
  try {
    return toResult(given);
  } catch {
    const expected = "a result: text, JSON, content blocks or a whole result";
    throw nonsense(hook, new CallOccasion(view, 0), { found: given, expected });
  }
}

function denial(plugin: string, { server, tool, id }: PluginCall, reason: string): HostError {
  const why = reason.trim() === "" ? "" : `: ${reason}`;
  const text = `${tool} of server "${server}" is denied by plugin ${JSON.stringify(plugin)}${why}`;
  return new HostError("denied", text, { facts: { server, tool, plugin, reason, call: id } });
}

/** What was answered, read once: whatever reads it may throw, or find something else the next time. */
function readOnce(found: unknown): JsonObject | undefined {
  try {
    return isObject(found) ? { ...found } : undefined;
  } catch {
    return undefined;
  }
}
