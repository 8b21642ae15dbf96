/** A prompt as one line, `greet(name, style?)`, for lists and error messages. Pure. */
import type { HostPrompt } from "./feature-types.ts";
import { keyText, nameText } from "./signature.ts";

/** Required arguments first; a long list ends in `…`. All values are strings, so that no type is named. */
export function promptSignature({ name, arguments: args }: HostPrompt): string {
  const ordered = args.toSorted((a, b) => Number(b.required) - Number(a.required));
  const words = ordered
    .slice(0, argumentsMax)
    .map((argument) => `${keyText(argument.name)}${argument.required ? "" : "?"}`);
  if (ordered.length > words.length) words.push("…");
  return `${nameText(name)}(${words.join(", ")})`;
}

// --- internal ---

const argumentsMax = 12;
