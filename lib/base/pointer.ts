/** JSON pointers (RFC 6901) and names within a JSON Schema. Pure; what is not there is undefined, and prototypes are never met. */
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

/** What a reference names in a schema. */
export type Resolve = (reference: string) => Json | undefined;

/**
 * As `atReference` in the schema `root`, and besides `#name` by `$anchor` and `$dynamicAnchor` (2020-12 core, 8.2.2; `$id` and
 * `id` of older drafts), and what has an `$id` by that, as it is written, alone or with a pointer into it: nothing is fetched,
 * and no relative address made whole. The schema is walked once, when the first name is looked up.
 */
export function resolverOf(root: Json): Resolve {
  let names: Map<string, Json> | undefined;
  return (reference) => {
    const target = atReference(root, reference);
    if (target !== undefined || reference === "#" || reference.startsWith("#/")) return target;
    names ??= namesIn(root);
    const named = names.get(reference);
    if (named !== undefined) return named;
    const [id = "", pointer] = reference.split("#", 2);
    const base = names.get(id);
    return base === undefined ? undefined : atReference(base, `#${pointer ?? ""}`);
  };
}

// --- internal ---

/** Keywords whose values are no schemas. */
const values: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Places by the references that mean them. */
function namesIn(root: Json): Map<string, Json> {
  const places = new Map<string, Json>();
  const stack: Json[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isObject(node)) {
      const { $anchor, $dynamicAnchor, $id, id } = node;
      for (const name of [$dynamicAnchor, $anchor])
        if (typeof name === "string") places.set(`#${name}`, node);
      for (const name of [$id, id]) if (typeof name === "string") places.set(name, node);
      for (const key of Object.keys(node)) if (!values.has(key)) stack.push(node[key] ?? null);
    } else if (Array.isArray(node)) for (const one of node) stack.push(one);
  }
  return places;
}
