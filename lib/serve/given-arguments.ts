/** Arguments as clients write them where there are none. Pure. */
import type { Json } from "../base/json.ts";

/** What was given; an object without members where that is none: absent, null, or the empty list of PHP and Lua. */
export function givenArguments(value: Json | undefined): Json {
  if (value === undefined || value === null) return {};
  return Array.isArray(value) && value.length === 0 ? {} : value;
}
