/**
 * What plugins say of arguments that an approver gave in place of those that they were asked about: a no counts, and an answer
 * in place of the server's. What else they say does not, so that what is done is what was allowed.
 */
import type { ToolResult } from "../protocol/mcp.ts";
import type { Proposed } from "./before.ts";
import { CallOccasion } from "./occasion.ts";
import { answerOf } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";
import { denial, readBefore, resultOf } from "./words.ts";

/**
 * The first answer that was given in place of the server's.
 * @throws HostError `denied` (by a plugin, by a plugin's fault); the reason of the signal
 */
export async function askAgain(
  hooks: readonly Hooked<"beforeCall">[],
  call: Proposed,
  timeoutMs: number,
): Promise<ToolResult | undefined> {
  const view = call.view();
  const occasion = new CallOccasion(view, timeoutMs, call);
  let first: ToolResult | undefined;
  for (const hook of hooks) {
    const given = answerOf(hook, occasion, (): unknown => hook.run(view));
    const answer = given instanceof Promise ? await given : given;
    if (answer === undefined || answer === null) continue;
    const { deny, result } = readBefore(hook, answer, view);
    if (deny !== undefined) throw denial(hook.plugin, view, deny);
    if (result !== undefined) first ??= resultOf(hook, view, result);
  }
  return first;
}
