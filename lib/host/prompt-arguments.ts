/** The arguments of a prompt, looked at before it is asked for. All of them are text, so that only their names can be wrong. Pure. */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { HostPrompt } from "./feature-types.ts";
import { promptSignature } from "./prompt-signature.ts";

/** What is given and not named by the prompt: typing errors, most likely, but the server decides. */
export function strayArguments(
  prompt: HostPrompt,
  args: Readonly<Record<string, string>>,
): string[] {
  const known = prompt.arguments.map((argument) => argument.name);
  return Object.keys(args)
    .filter((key) => !known.includes(key))
    .slice(0, straysMax)
    .map((key) => {
      const meant = didYouMean(nearest(key, known, 1));
      const text = `the prompt names no argument ${JSON.stringify(key)}`;
      return meant === undefined ? text : `${text}; ${meant}`;
    });
}

/** @throws HostError `usage` where one is missing: what else is odd may be it by another name */
export function checkRequired(
  prompt: HostPrompt,
  args: Readonly<Record<string, string>>,
  strays: readonly string[],
): void {
  const missing = prompt.arguments
    .filter((argument) => argument.required && !Object.hasOwn(args, argument.name))
    .map((argument) => argument.name);
  if (missing.length === 0) return;
  const texts = missing.map((name) => `argument ${name} is required`);
  throw new HostError("usage", `${prompt.name}: ${[...texts, ...strays].join("; ")}`, {
    facts: { server: prompt.server, prompt: prompt.prompt, missing },
    hint: promptSignature(prompt),
  });
}

// --- internal ---

const straysMax = 5;
