/**
 * Mends in a schema what is clear although it is no JSON Schema: what serializers write in the place of a keyword that is
 * absent (null), of an empty object (PHP: an empty list), and OpenAPI's `nullable`. And takes out patterns that are none
 * here: other languages have other ones. Changes the schema it is given. Pure otherwise.
 */
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";

/** Keywords whose value is an object of schemas, by name. */
export const mapsOfSchemas: readonly string[] = [
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
];

/** Mends one schema, not those in it; returns a pattern that had to be left out. */
export function mendSchema(schema: JsonObject): string | undefined {
  for (const key of Object.keys(schema))
    if (schema[key] === null && key !== "const" && key !== "default") delete schema[key];
  for (const key of mapsOfSchemas) if (isEmptyList(schema[key])) schema[key] = {};
  if (schema.nullable === true) allowNull(schema);
  return withoutForeign(schema);
}

// --- internal ---

function isEmptyList(value: Json | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function allowNull(schema: JsonObject): void {
  const { type, enum: values } = schema;
  if (type !== undefined) schema.type = [...[type].flat(), "null"];
  if (Array.isArray(values)) schema.enum = [...values, null];
}

function withoutForeign(schema: JsonObject): string | undefined {
  let foreign: string | undefined;
  const { pattern, patternProperties } = schema;
  if (typeof pattern === "string" && !compiles(pattern)) {
    foreign = pattern;
    delete schema.pattern;
  }
  for (const key of isObject(patternProperties) ? Object.keys(patternProperties) : [])
    if (!compiles(key)) {
      foreign = key;
      // What its members are is not known, so whatever they are is right.
      for (const name of ["patternProperties", "additionalProperties", "unevaluatedProperties"])
        delete schema[name];
    }
  return foreign;
}

/** As the validator does it. Only the syntax is looked at. */
function compiles(pattern: string): boolean {
  try {
    void new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
