/**
 * The references of one JSON Schema: what each means as a pointer into it, by its `$id`s and anchors. Nothing is fetched:
 * what does not lie in the schema means nothing. Pure.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { atPointer } from "../base/pointer.ts";
import { decoded } from "../base/uri.ts";

/** Values that are data, whatever they look like. */
const dataKeywords = new Set(["enum", "const", "default", "examples", "example"]);
/** Keywords whose value is a table of schemas by names of any kind. */
const tableKeywords = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** How the value of a keyword is to be read; what nobody knows may hold schemas. */
export function kindOf(keyword: string): "data" | "table" | "schema" {
  if (dataKeywords.has(keyword)) return "data";
  return tableKeywords.has(keyword) ? "table" : "schema";
}

/** The base URI within a schema, given the one round it. */
export function baseOf(schema: JsonObject, base: string): string {
  const { $id } = schema;
  const url = typeof $id === "string" ? URL.parse($id, base) : null;
  return url === null ? base : withoutFragment(url);
}

/** The base of a schema that names none. */
export const rootBase = "schema://tool/";

export class References {
  readonly #root: JsonObject;
  /** By URI, without and with the fragment of an anchor. */
  readonly #pointers = new Map<string, string>();
  /** Where data stand that look like references: they are left out, so that nothing may lead there. */
  readonly #unsafe: string[] = [];

  constructor(root: JsonObject) {
    this.#root = root;
    this.#pointers.set(rootBase, "");
    this.#scan(root, rootBase, "");
  }

  /**
   * The pointer that a reference means where `base` holds. Undefined where it leads out of the schema, nowhere, or only
   * round in a circle.
   */
  find(reference: string, base: string): string | undefined {
    const seen = new Set<string>();
    const first = this.#pointerOf(reference, base);
    let at = first;
    while (at !== undefined && !seen.has(at)) {
      seen.add(at);
      const target = atPointer(this.#root, at);
      if (!isObject(target) || typeof target.$ref !== "string") return first;
      at = this.#pointerOf(target.$ref, this.#baseAt(at));
    }
    return undefined;
  }

  // --- internal ---

  #scan(schema: JsonObject, outer: string, pointer: string): void {
    const base = baseOf(schema, outer);
    if (base !== outer) this.#add(base, pointer);
    for (const anchor of anchorsOf(schema)) this.#add(`${base}#${anchor}`, pointer);
    for (const [key, value] of Object.entries(schema)) {
      const at = pointer + step(key);
      const kind = kindOf(key);
      if (kind === "data") {
        if (holdsReference(value)) this.#unsafe.push(at);
      } else this.#scanValue(value, { base, at, isTable: kind === "table" });
    }
  }

  #scanValue(
    value: Json | undefined,
    { base, at, isTable }: { base: string; at: string; isTable: boolean },
  ): void {
    if (Array.isArray(value))
      for (const [i, item] of value.entries())
        this.#scanValue(item, { base, at: `${at}/${i}`, isTable: false });
    if (!isObject(value)) return;
    if (!isTable) return this.#scan(value, base, at);
    for (const [name, item] of Object.entries(value))
      this.#scanValue(item, { base, at: at + step(name), isTable: false });
  }

  /** The first of two with one name counts. */
  #add(uri: string, pointer: string): void {
    if (!this.#pointers.has(uri)) this.#pointers.set(uri, pointer);
  }

  #pointerOf(reference: string, base: string): string | undefined {
    const url = URL.parse(reference, base);
    const fragment = url === null ? undefined : decoded(url.hash.slice(1));
    if (url === null || fragment === undefined) return undefined;
    const uri = withoutFragment(url);
    if (fragment !== "" && !fragment.startsWith("/"))
      return this.#pointers.get(`${uri}#${fragment}`);
    const resource = this.#pointers.get(uri);
    if (resource === undefined) return undefined;
    const pointer = resource + fragment;
    const target = atPointer(this.#root, pointer);
    const isSafe = !this.#unsafe.some((at) => pointer === at || pointer.startsWith(`${at}/`));
    return isSafe && (isObject(target) || typeof target === "boolean") ? pointer : undefined;
  }

  /** The base that holds at a pointer: that of the innermost `$id` on the way. */
  #baseAt(pointer: string): string {
    let base = baseOf(this.#root, rootBase);
    for (let end = pointer.indexOf("/", 1); ; end = pointer.indexOf("/", end + 1)) {
      const part = atPointer(this.#root, end < 0 ? pointer : pointer.slice(0, end));
      if (isObject(part)) base = baseOf(part, base);
      if (end < 0) return base;
    }
  }
}

/** True where a reader that knows no schema would take some part of a value for a reference. */
export function holdsReference(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(holdsReference);
  if (!isObject(value)) return false;
  return typeof value.$ref === "string" || Object.values(value).some(holdsReference);
}

// --- internal ---

/** `key` as one step of a JSON pointer. */
function step(key: string): string {
  return `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Today's anchors, and those of draft 7: an `$id` that is a fragment alone. */
function anchorsOf({ $anchor, $dynamicAnchor, $id }: JsonObject): string[] {
  const old = typeof $id === "string" && $id.startsWith("#") ? $id.slice(1) : undefined;
  return [$anchor, $dynamicAnchor, old].filter((name): name is string => typeof name === "string");
}

function withoutFragment(url: URL): string {
  const { href } = url;
  const hash = href.indexOf("#");
  return hash < 0 ? href : href.slice(0, hash);
}
