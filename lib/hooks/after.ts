/**
 * What plugins make of an outcome: each sees what the one before made of it. Whatever goes wrong here is logged and changes
 * nothing: the call was made, or was not.
 */
import { isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { occasionOf } from "./before.ts";
import type { Outcome } from "./call.ts";
import { thrownText } from "./frozen.ts";
import type { PluginCall } from "./hook-types.ts";
import { toResult } from "./result.ts";
import { answerOf, nonsense } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";
import { outcomeView } from "./view.ts";

/** Never rejects. */
export async function tellPlugins(
  hooks: readonly Hooked<"afterCall">[],
  { view, outcome: first, timeoutMs, log }: AfterOptions,
): Promise<Outcome> {
  let outcome = first;
  let seen = outcomeView(first);
  const occasion = occasionOf(view, { timeoutMs });
  const run = (hook: Hooked<"afterCall">) => hook.run(view, seen);
  for (const hook of hooks) {
    try {
      const given = answerOf(hook, occasion, run);
      const answer = given instanceof Promise ? await given : given;
      if (answer === undefined || answer === null) continue;
      if (typeof answer !== "object" || !("result" in answer))
        throw nonsense(hook, occasion, { found: answer, expected: "nothing or { result }" });
      const other = replaced(outcome, answer.result);
      if (other === undefined)
        throw nonsense(hook, occasion, {
          found: answer,
          expected: `nothing, since a call that is ${outcome.status} has no result`,
        });
      outcome = other;
      seen = outcomeView(other);
    } catch (error) {
      const text = isHostError(error)
        ? error.message
        : `plugin ${JSON.stringify(hook.plugin)}: afterCall returned no result: ${thrownText(error)}`;
      log({ level: "warn", text, server: view.server });
    }
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

/** The outcome with another result; undefined of one that never has any. @throws TypeError for what is no result */
function replaced(outcome: Outcome, given: unknown): Outcome | undefined {
  const { status, durationMs } = outcome;
  if (status !== "completed" && status !== "failed") return undefined;
  const result = toResult(given);
  const raw = JSON.stringify(result);
  if (result.isError === true) return { status: "failed", result, raw, durationMs };
  return { status: "completed", result, raw, durationMs };
}
