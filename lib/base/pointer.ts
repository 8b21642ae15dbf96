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
 * As `atReference` in the schema `root`, and `#name` by `$anchor` besides (2020-12 core, 8.2.2; `$id` and `id` of older
 * drafts). The schema is walked once, when the first name is looked up.
 */
export function resolverOf(root: Json): Resolve {
  let anchors: Map<string, Json> | undefined;
  return (reference) => {
    const target = atReference(root, reference);
    if (target !== undefined || !/^#[^/]/.test(reference)) return target;
    anchors ??= anchorsIn(root);
    return anchors.get(reference.slice(1));
  };
}

// --- internal ---

/** Keywords whose values are no schemas. */
const values: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

function anchorsIn(root: Json): Map<string, Json> {
  const anchors = new Map<string, Json>();
  const stack: Json[] = [root];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (isObject(node)) {
      const { $anchor, $id, id } = node;
      const names = [$anchor, ...[$id, id].map(nameIn)];
      for (const name of names) if (typeof name === "string") anchors.set(name, node);
      for (const key of Object.keys(node)) if (!values.has(key)) stack.push(node[key] ?? null);
    } else if (Array.isArray(node)) for (const one of node) stack.push(one);
  }
  return anchors;
}

function nameIn(id: Json | undefined): string | undefined {
  return typeof id === "string" && /^#[^/]/.test(id) ? id.slice(1) : undefined;
}
