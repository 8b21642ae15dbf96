/**
 * A tool's schema as a part of an OpenAPI document: the same checks under another address. Its references lead where they
 * led, within the document; none leads out of it. Pure.
 */
import { isDeeper, isObject, type Json, type JsonObject } from "../base/json.ts";
import { baseOf, holdsReference, kindOf, References, rootBase } from "./openapi-refs.ts";

/** Readers of documents give up at 500, and then all is lost. */
const depthMax = 200;

/**
 * The schema for its place in the document. One that is nested more than 200 levels deep is left out: anything passes.
 * @param place where it will stand: `#/components/schemas/NAME`
 */
export function embedSchema(schema: JsonObject, place: string): JsonObject {
  if (isDeeper(schema, depthMax))
    return { $comment: "the schema is nested too deeply to be shown" };
  return new Embedding(schema, place).embedded();
}

// --- internal ---

/** They name the schema, or say how to read it; here it has a place, and the document says how. */
const dropped = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$dynamicAnchor",
  "$recursiveAnchor",
  "$vocabulary",
]);
const referring = new Set(["$ref", "$dynamicRef", "$recursiveRef"]);

class Embedding {
  readonly #schema: JsonObject;
  readonly #place: string;
  readonly #references: References;

  constructor(schema: JsonObject, place: string) {
    this.#schema = schema;
    this.#place = place;
    this.#references = new References(schema);
  }

  embedded(): JsonObject {
    return this.#rewritten(this.#schema, rootBase);
  }

  #rewritten(schema: JsonObject, outer: string): JsonObject {
    const base = baseOf(schema, outer);
    const entries: [string, Json | undefined][] = [];
    for (const [key, value] of Object.entries(schema)) {
      if (dropped.has(key)) continue;
      if (referring.has(key)) entries.push(...this.#reference(value, base));
      else if (kindOf(key) === "data") {
        // A reader of documents takes references in data for its own.
        if (!holdsReference(value)) entries.push([key, value]);
      } else entries.push([key, this.#value(value, base, kindOf(key) === "table")]);
    }
    // Some readers ask for it; it says nothing.
    if (isArrayOfWhatever(schema)) entries.push(["items", {}]);
    // Entries, never assignment: a key may be `__proto__`.
    return Object.fromEntries(entries);
  }

  #value(value: Json | undefined, base: string, isTable: boolean): Json | undefined {
    if (Array.isArray(value)) return value.map((item) => this.#value(item, base, false) ?? null);
    if (!isObject(value)) return value;
    if (!isTable) return this.#rewritten(value, base);
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([name, item]) => [name, this.#value(item, base, false)]),
    );
  }

  #reference(value: Json | undefined, base: string): [string, Json][] {
    if (typeof value !== "string") return [];
    const pointer = this.#references.find(value, base);
    const uri = pointer === undefined ? undefined : asFragment(pointer);
    if (uri === undefined)
      return [["$comment", `the schema refers to ${value}, which is not here`]];
    return [["$ref", this.#place + uri]];
  }
}

function isArrayOfWhatever({ type, items, prefixItems }: JsonObject): boolean {
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isArray && items === undefined && prefixItems === undefined;
}

/** A pointer as a URI's fragment has it. Undefined for one that no URI can hold. */
function asFragment(pointer: string): string | undefined {
  try {
    return encodeURI(pointer).replaceAll("#", "%23");
  } catch {
    return undefined;
  }
}
