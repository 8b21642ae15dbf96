/** The digits that were lost when a list was parsed, kept for whoever writes its entries down. Pure. */
import { isObject, keepDigits, wholeJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";

/** The members of each entry of the list `key` of a result keep theirs, wherever they will stand. `text`: of the whole answer. */
export function keepListDigits(result: JsonObject, key: string, text: string): void {
  const answer = wholeJson(text);
  if (answer === undefined) return;
  const whole = isObject(answer) && isObject(answer.result) ? answer.result[key] : undefined;
  for (const [at, entry] of listIn(result[key]).entries()) keepEach(entry, listIn(whole)[at]);
}

// --- internal ---

function keepEach(entry: Json, whole: Json | undefined): void {
  if (!isObject(entry) || !isObject(whole)) return;
  for (const [key, value] of Object.entries(entry))
    if (typeof value === "object" && value !== null) keepDigits(value, whole[key] ?? value);
}

function listIn(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
