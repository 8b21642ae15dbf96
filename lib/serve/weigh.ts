/** How large a value is, about. Pure. */
import { isObject, type Json } from "../base/json.ts";

/** About how much a value weighs; stops counting once it is more than `max`, so that a large or deep one costs no more. */
export function weigh(value: Json | undefined, max: number): number {
  let bytes = 8;
  if (typeof value === "string") return bytes + value.length;
  if (Array.isArray(value)) {
    bytes += 8 * value.length;
    for (let at = 0; at < value.length && bytes <= max; at += 1)
      bytes += weigh(value[at], max - bytes);
  } else if (isObject(value)) {
    for (const key in value) {
      bytes += 8 + key.length;
      if (bytes > max) break;
      bytes += weigh(value[key], max - bytes);
    }
  }
  return bytes;
}
