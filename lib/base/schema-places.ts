/** Where schemas stand in a JSON Schema, of any dialect. Pure. */
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** A schema, or what stands where one should. */
export interface Place {
  schema: Json | undefined;
  path: string;
  depth: number;
}

/** Keywords whose value is one schema. */
export const oneSchema: readonly string[] = (
  "additionalItems additionalProperties contains else if items not propertyNames then " +
  "unevaluatedItems unevaluatedProperties"
).split(" ");
/** Keywords whose value is a list of schemas. */
export const listsOfSchemas: readonly string[] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/** Keywords whose value is an object of schemas, by name. */
export const mapsOfSchemas: readonly string[] = [
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
];
/** All that hold schemas, values, or a reference. */
const spoken: ReadonlySet<string> = new Set([
  ...oneSchema,
  ...listsOfSchemas,
  ...mapsOfSchemas,
  ..."dependencies const enum default examples".split(" "),
]);

/** What stands in a schema where schemas belong. */
export function childrenOf(schema: JsonObject, { path, depth }: Place): Place[] {
  const places: Place[] = [];
  const add = (child: Json | undefined, at: string) =>
    places.push({ schema: child, path: `${path}/${at}`, depth: depth + 1 });
  for (const key of oneSchema) {
    const child = schema[key];
    if (key === "items" && Array.isArray(child)) child.forEach((one, i) => add(one, `${key}/${i}`));
    else if (child !== undefined) add(child, key);
  }
  for (const key of listsOfSchemas) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach((child, i) => add(child, `${key}/${i}`));
  }
  for (const key of mapsOfSchemas) {
    const map = schema[key];
    if (isObject(map)) for (const name of Object.keys(map)) add(map[name], `${key}/${name}`);
  }
  const { dependencies } = schema;
  // There are lists of names in it as well.
  for (const [name, child] of Object.entries(isObject(dependencies) ? dependencies : {}))
    if (!Array.isArray(child)) add(child, `dependencies/${name}`);
  return places;
}

/** What stands in a schema under names that no dialect has: notes of others, or schemas that are only referred to. */
export function notesIn(schema: JsonObject): Json[] {
  const notes: Json[] = [];
  for (const key of Object.keys(schema)) if (!spoken.has(key)) notes.push(schema[key] ?? null);
  return notes;
}
