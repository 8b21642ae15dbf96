/** What plugins say of arguments that an approver gave in place of those that they were asked about: only a no counts. */
import type { Proposed } from "./before.ts";
import { CallOccasion } from "./occasion.ts";
import { answerOf } from "./run-hook.ts";
import type { Hooked } from "./run-hook.ts";
import { denial, readBefore } from "./words.ts";

/** @throws HostError `denied` (by a plugin, by a plugin's fault); the reason of the signal */
export async function askAgain(
  hooks: readonly Hooked<"beforeCall">[],
  call: Proposed,
  timeoutMs: number,
): Promise<void> {
  const view = call.view();
  const occasion = new CallOccasion(view, timeoutMs, call);
  for (const hook of hooks) {
    const given = answerOf(hook, occasion, (): unknown => hook.run(view));
    const answer = given instanceof Promise ? await given : given;
    if (answer === undefined || answer === null) continue;
    const { deny } = readBefore(hook, answer, view);
    if (deny !== undefined) throw denial(hook.plugin, view, deny);
  }
}
