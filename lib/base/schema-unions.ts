/** What is wrong with a value that fits none of several alternatives, or too many of them, in words for a person. Pure. */
import { isObject } from "./json.ts";
import type { Json } from "./json.ts";

/** One complaint, as the validator words and places it. Locations are references (`#/a/b`). */
export interface Complaint {
  keyword: string;
  keywordLocation: string;
  instanceLocation: string;
  error: string;
}

/**
 * `expected integer or null` where the alternatives failed by their types alone, and which keys are asked for where they failed
 * by those. `got`: the value, in words.
 */
export function unionWords(
  union: Complaint,
  rule: Json | undefined,
  { all, got }: { all: readonly Complaint[]; got: string },
): string {
  const { keyword, keywordLocation } = union;
  const branches = Array.isArray(rule) ? rule : [];
  const under = (place: string) => all.filter((one) => one.keywordLocation.startsWith(`${place}/`));
  const inside = under(keywordLocation);
  const isBy = (by: string) => inside.length > 0 && inside.every((one) => one.keyword === by);
  const types = branches.map((branch) => (isObject(branch) ? branch.type : undefined));
  if (isBy("type") && types.every((type) => type !== undefined))
    return `expected ${types.flat().join(" or ")}, ${got}`;
  const keys = branches.map(requiredIn);
  const fitting = branches.filter((_, at) => under(`${keywordLocation}/${at}`).length === 0);
  if (keys.every((names) => names !== undefined)) {
    if (fitting.length > 1) return `expected only one of: ${keys.join(", or ")}`;
    if (isBy("required")) return `expected one of: ${keys.join(", or ")}`;
  }
  const which = keyword === "anyOf" ? "any" : "exactly one";
  return `does not fit ${which} of ${branches.length} alternatives, ${got}`;
}

// --- internal ---

/** The keys that an alternative asks for; undefined where it asks for none. */
function requiredIn(branch: Json): string | undefined {
  const required = isObject(branch) ? branch.required : undefined;
  return Array.isArray(required) && required.length > 0 ? required.join(" and ") : undefined;
}
