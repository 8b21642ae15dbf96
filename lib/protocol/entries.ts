/** The entries of a list as servers write it. Pure. */
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";

/** The entries; where it is no array, that is said. PHP writes a list whose keys have gaps as an object. */
export function entriesOf(list: Json | undefined, what: string, warnings: string[]): Json[] {
  if (Array.isArray(list)) return list;
  if (list === undefined || list === null) return [];
  const values = isObject(list) ? (Object.values(list) as Json[]) : [];
  const read = values.length > 0 ? "its members were read" : "none was read";
  warnings.push(`the list of ${what}s is not an array: ${read}`);
  return values;
}
