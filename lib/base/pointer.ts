/** JSON pointers (RFC 6901). Pure; what is not there is undefined, and prototypes are never met. */
import { isObject } from "./json.ts";
import type { Json } from "./json.ts";

/** The value at `pointer` (`""` is the whole, else it begins with `/`), or undefined. */
export function atPointer(value: Json, pointer: string): Json | undefined {
  if (pointer === "") return value;
  if (!pointer.startsWith("/")) return undefined;
  let current: Json | undefined = value;
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(current))
      current = /^(0|[1-9]\d*)$/.test(key) ? current[Number(key)] : undefined;
    else if (isObject(current) && Object.hasOwn(current, key)) current = current[key];
    else return undefined;
  }
  return current;
}

/** The value that a local reference (`#`, `#/$defs/a~1b`, percent-encoding allowed) names in `root`, or undefined. */
export function atReference(root: Json, reference: string): Json | undefined {
  if (!reference.startsWith("#")) return undefined;
  try {
    return atPointer(root, decodeURIComponent(reference.slice(1)));
  } catch {
    return undefined;
  }
}
