/**
 * What plugins say before a call is made, and what they say of one that is asked about: their words are read strictly, and
 * whatever is none denies the call. It makes no call and asks no person.
 */
import { isHostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import { plainJson } from "./frozen.ts";
import type { PluginCall, Question } from "./hook-types.ts";
import { CallOccasion } from "./occasion.ts";
import { answerOf, fault } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";
import { denial, readApproval, readBefore, resultOf } from "./words.ts";
import type { AnyHook } from "./words.ts";

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
