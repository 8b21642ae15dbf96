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

/** What a result asks for, each by its params, keeps its digits for whoever it is handed on to. `raw`: the exact text of the result. */
export function keepInputDigits({ inputRequests: asked }: JsonObject, raw: string): void {
  const whole = isObject(asked) ? wholeJson(raw) : undefined;
  if (!isObject(asked) || !isObject(whole) || !isObject(whole.inputRequests)) return;
  for (const [key, request] of Object.entries(asked)) {
    const exact = whole.inputRequests[key];
    if (isObject(request) && isObject(request.params) && isObject(exact))
      keepDigits(request.params, exact.params ?? {});
  }
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
