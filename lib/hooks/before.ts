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
import { toResult } from "./result.ts";
import { answerOf, fault, nonsense } from "./run-hook.ts";
import type { Hooked, Occasion } from "./run-hook.ts";

/** The call that is decided about. */
export interface Proposed {
  /** As it stands by now. */
  view(): PluginCall;
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

type Limits = Pick<Occasion, "timeoutMs" | "signal">;

/** @throws HostError `denied` (by a plugin, by a rule, by a plugin's fault); the reason of the signal */
export async function askPlugins(
  hooks: readonly Hooked<"beforeCall">[],
  call: Proposed,
  limits: Limits,
): Promise<Said> {
  const said: Said = { asks: [], isAllowed: false };
  let view = call.view();
  const occasion = occasionOf(view, limits);
  const run = (hook: Hooked<"beforeCall">) => hook.run(view);
  for (const hook of hooks) {
    const given = answerOf(hook, occasion, run);
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

/**
 * The word of the first plugin that has one; undefined where none has.
 * @throws HostError `denied`: it is rejected, or a plugin is at fault; the reason of the signal
 */
export async function approvedBy(
  hooks: readonly Hooked<"approve">[],
  call: Proposed,
  question: Question,
  limits: Limits,
): Promise<string | undefined> {
  const view = call.view();
  const occasion = occasionOf(view, limits);
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

/** What a hook is run about, for its errors. */
export function occasionOf({ id, server, tool }: PluginCall, limits: Limits): Occasion {
  return {
    // Made only where something went wrong.
    get about() {
      return ` of ${tool} of server "${server}"`;
    },
    get facts() {
      return { server, tool, call: id };
    },
    timeoutMs: limits.timeoutMs,
    // Most hooks answer at once, and nobody waits for them.
    get signal() {
      return limits.signal;
    },
  };
}

// --- internal ---

type AnyHook = Hooked<"beforeCall"> | Hooked<"approve">;

const beforeWords =
  "nothing, { deny: reason }, { ask: reason }, { allow: true }, { arguments } or { result }";
const approveWords = "nothing, { approve: true, arguments? } or { reject: reason }";
const beforeKeys = new Set(["deny", "ask", "allow", "arguments", "result"]);

function readBefore(hook: AnyHook, found: unknown, view: PluginCall): BeforeCall {
  const wrong = () =>
    nonsense(hook, occasionOf(view, { timeoutMs: 0 }), { found, expected: beforeWords });
  if (!isRecord(found)) throw wrong();
  const keys = Object.keys(found).filter((key) => found[key] !== undefined);
  if (keys.length === 0 || keys.some((key) => !beforeKeys.has(key))) throw wrong();
  const { deny, ask, allow, arguments: args } = found;
  const decisions = [deny, ask, allow].filter((one) => one !== undefined);
  const isRead =
    decisions.length < 2 &&
    [deny, ask].every((one) => one === undefined || typeof one === "string") &&
    (allow === undefined || allow === true) &&
    (args === undefined || isRecord(args));
  if (!isRead) throw wrong();
  return found as BeforeCall;
}

function readApproval(hook: AnyHook, found: unknown, view: PluginCall): Approval {
  if (isRecord(found)) {
    const { approve, reject, arguments: args, ...rest } = found;
    const isPlain = Object.keys(rest).length === 0;
    if (isPlain && typeof reject === "string" && approve === undefined && args === undefined)
      return { reject };
    if (
      isPlain &&
      approve === true &&
      reject === undefined &&
      (args === undefined || isRecord(args))
    )
      return found as unknown as Approval;
  }
  throw nonsense(hook, occasionOf(view, { timeoutMs: 0 }), { found, expected: approveWords });
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
    const occasion = occasionOf(view, { timeoutMs: 0 });
    throw fault(hook, occasion, `gave arguments that do not fit: ${text}`, error);
  }
}

function resultOf(hook: AnyHook, view: PluginCall, given: unknown): ToolResult {
  try {
    return toResult(given);
  } catch {
    const expected = "a result: text, JSON, content blocks or a whole result";
    throw nonsense(hook, occasionOf(view, { timeoutMs: 0 }), { found: given, expected });
  }
}

function denial(plugin: string, { server, tool, id }: PluginCall, reason: string): HostError {
  const why = reason.trim() === "" ? "" : `: ${reason}`;
  const text = `${tool} of server "${server}" is denied by plugin ${JSON.stringify(plugin)}${why}`;
  return new HostError("denied", text, { facts: { server, tool, plugin, reason, call: id } });
}

function isRecord(value: unknown): value is JsonObject {
  return isObject(value);
}
