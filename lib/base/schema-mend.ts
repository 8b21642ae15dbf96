/**
 * Mends in a schema what is clear although it is no JSON Schema: what serializers write in the place of a keyword that is
 * absent (null), of an empty object (PHP: an empty list), what OpenAPI and draft 4 say of bounds and null, and types by the
 * words of others. And takes out patterns that are none here (other languages have other ones), and what means nothing in its
 * dialect, but something to the validator. Changes the schema it is given. Pure otherwise.
 */
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { listsOfSchemas, mapsOfSchemas, notesIn, oneSchema } from "./schema-places.ts";
import { typeMeant } from "./schema-types.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

/** Mends one schema, not those in it; returns a pattern that had to be left out. @param isRoot it is the whole */
export function mendSchema(schema: JsonObject, draft: Draft, isRoot: boolean): string | undefined {
  for (const key of Object.keys(schema))
    if (schema[key] === null && key !== "const" && key !== "default") delete schema[key];
  for (const key of [...mapsOfSchemas, ...oneSchema])
    if (isEmptyList(schema[key])) schema[key] = {};
  for (const key of mapsOfSchemas) fillEmpty(schema[key]);
  for (const key of listsOfSchemas) fillEmpty(schema[key]);
  nameTypes(schema, isRoot);
  if (draft !== "4") boundAlone(schema);
  if (schema.nullable === true) allowNull(schema);
  keepTo(draft, schema, isRoot);
  return withoutForeign(schema);
}

/**
 * Makes a dynamic reference one that is not: in a schema of one resource both lead to the same place (2020-12 core, 8.2.3.2).
 * True where there was one.
 */
export function bindEarly(schema: JsonObject): boolean {
  const { $dynamicRef, $dynamicAnchor, allOf = [] } = schema;
  if (typeof $dynamicAnchor === "string") schema.$anchor ??= $dynamicAnchor;
  if (typeof $dynamicRef !== "string" || !Array.isArray(allOf)) return false;
  delete schema.$dynamicRef;
  schema.allOf = [...allOf, { $ref: $dynamicRef }];
  return true;
}

// --- internal ---

/** Keywords that draft-07 and older do not have. */
const later = (
  "prefixItems dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties " +
  "minContains maxContains"
).split(" ");
/** Keywords whose values are no schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Takes out what the dialect does not have, and each `format`. */
function keepTo(draft: Draft, schema: JsonObject, isRoot: boolean): void {
  delete schema.format;
  if (draft !== "4") {
    if (!isObject(schema.id)) delete schema.id;
    for (const note of notesIn(schema)) forgetIds(note);
  }
  if (draft !== "4" && draft !== "7") return;
  for (const key of later) delete schema[key];
  // Beside a reference nothing counts.
  if (schema.$ref === undefined || isRoot) return;
  delete schema.$id;
  delete schema.id;
}

/** Notes of others (`x-…`, `example`) may have an `id`; the validator took it for the name of a schema. */
function forgetIds(note: Json): void {
  const stack = [note];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node !== "object" || node === null) continue;
    if (isObject(node) && !isObject(node.id)) delete node.id;
    for (const [key, value] of Object.entries(node)) if (!data.has(key)) stack.push(value as Json);
  }
}

/** Where an empty list stands for a schema that says nothing. */
function fillEmpty(schemas: Json | undefined): void {
  if (typeof schemas !== "object" || schemas === null) return;
  const places = schemas as JsonObject;
  for (const key of Object.keys(places)) if (isEmptyList(places[key])) places[key] = {};
}

/**
 * Types by their right names. Where none of the listed values is of the type, the values are what is meant. Arguments are an
 * object: a root that is called otherwise is broken, and not to refuse them all.
 */
function nameTypes(schema: JsonObject, isRoot: boolean): void {
  const { type, enum: values } = schema;
  if (type === undefined) return;
  const names = [type].flat().map((one) => typeMeant(one) ?? one);
  if (isRoot && !names.includes("object")) return;
  if (names.includes("any")) delete schema.type;
  else if (Array.isArray(type) || names[0] !== type)
    schema.type = Array.isArray(type) ? names : names[0]!;
  if (!Array.isArray(values) || values.length === 0) return;
  if (!values.some((value) => names.some((name) => isOfType(value, name)))) delete schema.type;
}

function isOfType(value: Json, name: Json): boolean {
  if (value === null) return name === "null";
  if (Array.isArray(value)) return name === "array";
  if (typeof value !== "number") return name === typeof value;
  return name === "number" || (name === "integer" && Number.isInteger(value));
}

/** Draft 4 and OpenAPI 3.0 have a word beside the bound where later dialects have the bound itself. */
function boundAlone(schema: JsonObject): void {
  for (const [bound, flag] of [
    ["minimum", "exclusiveMinimum"],
    ["maximum", "exclusiveMaximum"],
  ] as const) {
    if (typeof schema[flag] !== "boolean") continue;
    const isExclusive = schema[flag] && schema[bound] !== undefined;
    delete schema[flag];
    if (!isExclusive) continue;
    schema[flag] = schema[bound]!;
    delete schema[bound];
  }
}

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
  // In the delimiters of PHP and Perl: nothing stands before a beginning, so as it is it would match nothing.
  if (/^\/\^[^]*\/[a-zA-Z]*$/.test(pattern)) return false;
  try {
    void new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}
