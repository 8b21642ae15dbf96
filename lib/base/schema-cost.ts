/**
 * Says whether checking a value by a schema is surely quick: walks both as a validator would, checks nothing, takes every
 * branch, and counts. So it never finds less than there is to do, and gives up as soon as that is too much. Pure.
 */
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { atReference } from "./pointer.ts";

/** True for milliseconds at most; false where it is more, or cannot be told. Its own time is bounded too. */
export function isQuick(schema: JsonObject, value: Json): boolean {
  const count = new Count(schema);
  count.visit(schema, value, 0);
  return count.left >= 0;
}

// --- internal ---

/** One step is about what a validator takes to look at one value by an empty schema: 0.1 to 0.5 µs. */
const stepsMax = 50_000;
const depthMax = 100;
/** Characters that are compared, or written into a complaint, in one step. */
const charactersPerStep = 20;

class Count {
  left = stepsMax;
  readonly #root: JsonObject;
  readonly #weights = new Map<JsonObject, number>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  visit(schema: Json | undefined, value: Json, depth: number): void {
    this.left -= 1;
    if (depth > depthMax) this.left = -1;
    if (this.left < 0 || !isObject(schema)) return;
    this.left -= this.#weightOf(schema);
    if (schema.$ref !== undefined) this.#reference(schema.$ref, value, depth + 1);
    for (const key of listsHere) this.#each(schema[key], value, depth + 1);
    for (const key of schemasHere)
      if (schema[key] !== undefined) this.visit(schema[key], value, depth + 1);
    for (const key of mapsHere) {
      const map = schema[key];
      if (isObject(map)) this.#each(Object.values(map) as Json[], value, depth + 1);
    }
    if (typeof value === "string") this.#text(schema, value);
    else if (Array.isArray(value)) this.#items(schema, value, depth + 1);
    else if (isObject(value)) this.#members(schema, value, depth + 1);
  }

  #reference($ref: Json, value: Json, depth: number): void {
    const target = typeof $ref === "string" ? atReference(this.#root, $ref) : undefined;
    if (target === undefined) this.left = -1;
    else this.visit(target, value, depth);
  }

  #each(schemas: Json | undefined, value: Json, depth: number): void {
    if (!Array.isArray(schemas)) return;
    for (const schema of schemas) {
      if (this.left < 0) return;
      this.visit(schema, value, depth);
    }
  }

  #text({ pattern }: JsonObject, { length }: string): void {
    this.left -= length / charactersPerStep;
    // Even a plain pattern may begin anew at each character.
    if (pattern !== undefined) this.left -= matching(length);
  }

  #items(schema: JsonObject, items: Json[], depth: number): void {
    this.left -= items.length;
    if (schema.uniqueItems === true && this.left >= 0)
      this.left -= (items.length * JSON.stringify(items).length) / charactersPerStep;
    for (let at = 0; at < items.length && this.left >= 0; at++) {
      const item = items[at] as Json;
      for (const key of schemasOfItems) {
        const rule = schema[key];
        const one = Array.isArray(rule) ? rule[at] : rule;
        if (one !== undefined) this.visit(one, item, depth);
      }
    }
  }

  #members(schema: JsonObject, members: JsonObject, depth: number): void {
    const { properties, patternProperties, propertyNames } = schema;
    const patterns = isObject(patternProperties)
      ? (Object.values(patternProperties) as Json[])
      : [];
    for (const key of Object.keys(members)) {
      if (this.left < 0) return;
      const member = members[key] as Json;
      this.left -= 1 + patterns.length * matching(key.length);
      if (isObject(properties) && Object.hasOwn(properties, key))
        this.visit(properties[key], member, depth);
      this.#each(patterns, member, depth);
      for (const rest of schemasOfMembers)
        if (schema[rest] !== undefined) this.visit(schema[rest], member, depth);
      if (propertyNames !== undefined) this.visit(propertyNames, key, depth);
    }
  }

  /** What a schema costs by what it lists itself, met by any value. */
  #weightOf(schema: JsonObject): number {
    let weight = this.#weights.get(schema);
    if (weight !== undefined) return weight;
    weight = 0;
    for (const key of lists)
      if (schema[key] !== undefined)
        weight += JSON.stringify(schema[key]).length / charactersPerStep;
    for (const key of ["properties", "patternProperties"])
      if (isObject(schema[key])) weight += Object.keys(schema[key]).length;
    this.#weights.set(schema, weight);
    return weight;
  }
}

function matching(length: number): number {
  return 10 + length ** 2 / 200;
}

/** Keywords whose own size counts. */
const lists = "type required enum const dependentRequired pattern".split(" ");
/** Keywords with schemas for the value itself. */
const listsHere = ["allOf", "anyOf", "oneOf"];
const schemasHere = ["not", "if", "then", "else"];
const mapsHere = ["dependentSchemas", "dependencies"];
const schemasOfItems = "prefixItems items additionalItems unevaluatedItems contains".split(" ");
const schemasOfMembers = ["additionalProperties", "unevaluatedProperties"];
