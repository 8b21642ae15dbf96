/** How large a value is, about. Pure. */
import { isObject, type Json } from "../base/json.ts";

/** About how much a value weighs; stops counting once it is more than `max`, so that a large one costs no more. */
export function weigh(value: Json, max: number): number {
  let bytes = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0 && bytes <= max) {
    const next = waiting.pop();
    bytes += 8;
    if (typeof next === "string") bytes += next.length;
    else if (Array.isArray(next)) {
      bytes += 8 * next.length;
      if (bytes <= max) waiting.push(...next);
    } else if (isObject(next)) {
      for (const key in next) {
        bytes += 8 + key.length;
        if (bytes > max) break;
        waiting.push(next[key]);
      }
    }
  }
  return bytes;
}
