/**
 * What plugins make of an outcome: each sees what the one before made of it. Whatever goes wrong here is logged and changes
 * nothing: the call was made, or was not.
 */
import { isHostError } from "../base/errors.ts";
import { mayLoseDigits } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { Outcome } from "./call.ts";
import { withWritten } from "./digits.ts";
import { thrownText } from "./frozen.ts";
import type { PluginCall } from "./hook-types.ts";
import { CallOccasion } from "./occasion.ts";
import { toResult } from "./result.ts";
import { answerOf, nonsense } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";
import { freezeOutcome } from "./view.ts";

/** At once where no plugin has anything to say, as is usual. The outcome is frozen. Neither throws nor rejects. */
export function tellPlugins(
  hooks: readonly Hooked<"afterCall">[],
  options: AfterOptions,
): Outcome | Promise<Outcome> {
  const { view, outcome, timeoutMs } = options;
  freezeOutcome(outcome);
  const occasion = new CallOccasion(view, timeoutMs);
  const run = (hook: Hooked<"afterCall">): unknown => hook.run(view, outcome);
  for (let at = 0; at < hooks.length; at++) {
    const answer = answerOf(hooks[at]!, occasion, run);
    if (answer !== undefined) return changed(hooks.slice(at), answer, options);
  }
  return outcome;
}

interface AfterOptions {
  view: PluginCall;
  outcome: Outcome;
  timeoutMs: number;
  log: Log;
}

// --- internal ---

/** What all make of it, the first of whom has given an answer. */
async function changed(
  hooks: readonly Hooked<"afterCall">[],
  first: unknown,
  { view, outcome: given, timeoutMs, log }: AfterOptions,
): Promise<Outcome> {
  let outcome = given;
  const occasion = new CallOccasion(view, timeoutMs);
  const run = (hook: Hooked<"afterCall">): unknown => hook.run(view, outcome);
  for (const [at, hook] of hooks.entries()) {
    try {
      const word = at === 0 ? first : answerOf(hook, occasion, run);
      const answer: unknown = word instanceof Promise ? await word : word;
      if (answer === undefined || answer === null) continue;
      const result = resultIn(answer);
      if (result === undefined)
        throw nonsense(hook, occasion, { found: answer, expected: "nothing or { result }" });
      const other = replaced(outcome, result);
      if (other === undefined)
        throw nonsense(hook, occasion, {
          found: answer,
          expected: `nothing, since a call that is ${outcome.status} has no result`,
        });
      freezeOutcome(other);
      outcome = other;
    } catch (error) {
      const text = isHostError(error)
        ? error.message
        : `plugin ${JSON.stringify(hook.plugin)}: afterCall returned no result: ${thrownText(error)}`;
      log({ level: "warn", text, server: view.server });
    }
  }
  return outcome;
}

/** @throws what reading it throws */
function resultIn(answer: unknown): unknown {
  return typeof answer === "object" && answer !== null && "result" in answer
    ? answer.result
    : undefined;
}

/** The outcome with another result; undefined of one that never has any. @throws TypeError for what is no result */
function replaced(outcome: Outcome, given: unknown): Outcome | undefined {
  const { status, durationMs } = outcome;
  if (status !== "completed" && status !== "failed") return undefined;
  const whole = toResult(withWritten(given, "raw" in outcome ? outcome.raw : ""));
  const raw = JSON.stringify(whole);
  const result = mayLoseDigits(raw) ? (JSON.parse(raw) as ToolResult) : whole;
  if (result.isError === true) return { status: "failed", result, raw, durationMs };
  return { status: "completed", result, raw, durationMs };
}
