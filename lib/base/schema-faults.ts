/**
 * Looks over a JSON Schema before it is used: what dialect it is in, what is wrong with it, and whether checking by it could
 * take long. Pure, and bounded: it walks with a stack of its own, follows no reference and runs no pattern.
 */
import { shorten } from "./clip.ts";
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { resolverOf } from "./pointer.ts";
import { mapsOfSchemas, mendSchema } from "./schema-mend.ts";

export type Draft = "4" | "7" | "2019-09" | "2020-12";

export interface SchemaReport {
  draft: Draft;
  /** Why nothing can be checked by it. */
  fault?: string;
  /** A reference that leads nowhere in the schema; it matters only where a value reaches it. */
  lost?: string;
  /** It carries patterns that could take long, or names for its parts: to be checked under a time limit. */
  heavy: boolean;
  /** It carries patterns at all. */
  patterns: boolean;
  /** A pattern that is none here: nothing is checked by it. */
  foreign?: string;
}

/** The deepest schema that is used. */
const schemaDepthMax = 200;
/** The validator writes down the whole path of each part. Characters. */
const pathsLengthMax = 16 * 1024 * 1024;

const dialects = new Map<string, Draft>([
  ["json-schema.org/draft-04/schema", "4"],
  ["json-schema.org/draft-06/schema", "7"],
  ["json-schema.org/draft-07/schema", "7"],
  ["json-schema.org/draft/2019-09/schema", "2019-09"],
  ["json-schema.org/draft/2020-12/schema", "2020-12"],
  ["json-schema.org/schema", "2020-12"],
]);

/**
 * Without `$schema` the dialect is 2020-12 (protocol.md 1.13). Mends the schema, which is to be a copy of our own, and takes
 * each `format` out of it: it annotates (2020-12 validation, 7.2.1), and what a server calls a date is for it to say. So it does with
 * keywords that the dialect does not have.
 */
export function inspectSchema(schema: JsonObject): SchemaReport {
  const report: SchemaReport = { draft: "2020-12", heavy: false, patterns: false };
  if (schema.$schema !== undefined) {
    const name = String(schema.$schema)
      .replace(/^https?:\/\//, "")
      .replace(/#$/, "");
    const draft = dialects.get(name);
    if (draft === undefined) report.fault = `its dialect ${clip(schema.$schema)} is not supported`;
    else report.draft = draft;
  }
  if (pathsAreLonger(schema)) report.fault = "its keys are too long and too many";
  const resolve = resolverOf(schema);
  const stack: Place[] = [{ schema, path: "#", depth: 0 }];
  for (
    let place = stack.pop();
    place !== undefined && report.fault === undefined;
    place = stack.pop()
  ) {
    if (typeof place.schema === "boolean") continue;
    const foreign = isObject(place.schema) ? mendSchema(place.schema) : undefined;
    if (foreign !== undefined) report.foreign ??= foreign;
    const fault = faultOf(place, report.draft);
    if (fault !== undefined) report.fault = `${place.path.slice(0, 100)} ${fault}`;
    if (!isObject(place.schema)) continue;
    const { $ref } = place.schema;
    delete place.schema.format;
    if (report.draft === "4" || report.draft === "7")
      for (const key of later) delete place.schema[key];
    if (typeof $ref === "string" && resolve($ref) === undefined) report.lost ??= $ref;
    report.heavy ||= place.depth > 0 && isNamed(place.schema);
    for (const pattern of patternsOf(place.schema)) {
      report.patterns = true;
      report.heavy ||= !isPlain(pattern);
    }
    stack.push(...childrenOf(place.schema, place));
  }
  return report;
}

// --- internal ---

interface Place {
  schema: Json | undefined;
  path: string;
  depth: number;
}

const types = new Set<Json>(["string", "number", "integer", "boolean", "object", "array", "null"]);
const oneSchema = words(
  "additionalItems additionalProperties contains else if items not propertyNames then " +
    "unevaluatedItems unevaluatedProperties",
);
const listOfSchemas = words("allOf anyOf oneOf prefixItems");
/** Keywords that draft-07 and older do not have: there they mean nothing, but the validator would go by them. */
const later = words(
  "prefixItems dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties " +
    "minContains maxContains",
);
const numbers = words(
  "maximum minimum multipleOf exclusiveMaximum exclusiveMinimum maxItems maxLength maxProperties " +
    "minItems minLength minProperties maxContains minContains",
);

function words(text: string): readonly string[] {
  return text.split(" ");
}

function faultOf({ schema, depth }: Place, draft: Draft): string | undefined {
  if (depth > schemaDepthMax) return `is nested more than ${schemaDepthMax} levels deep`;
  if (!isObject(schema)) return "is not a schema";
  const { type, required, enum: values, $ref, pattern, $dynamicRef } = schema;
  if (type !== undefined && ![type].flat().every((one) => types.has(one)))
    return `has the unknown type ${clip(type)}`;
  if (required !== undefined && !isStrings(required))
    return 'has a "required" that is no list of names';
  if (values !== undefined && !Array.isArray(values)) return 'has an "enum" that is no list';
  if ($ref !== undefined && typeof $ref !== "string") return 'has a "$ref" that is no text';
  if (pattern !== undefined && typeof pattern !== "string")
    return 'has a "pattern" that is no text';
  if ($dynamicRef !== undefined) return 'has a "$dynamicRef", which is not supported';
  for (const key of listOfSchemas)
    if (schema[key] !== undefined && !Array.isArray(schema[key]))
      return `has an "${key}" that is no list`;
  for (const key of mapsOfSchemas)
    if (schema[key] !== undefined && !isObject(schema[key]))
      return `has "${key}" that are no object`;
  for (const key of numbers) {
    const flag = draft === "4" && key.startsWith("exclusive") && typeof schema[key] === "boolean";
    if (schema[key] !== undefined && typeof schema[key] !== "number" && !flag)
      return `has a "${key}" that is no number`;
  }
  return undefined;
}

function childrenOf(schema: JsonObject, { path, depth }: Place): Place[] {
  const places: Place[] = [];
  const add = (child: Json | undefined, at: string) =>
    places.push({ schema: child, path: `${path}/${at}`, depth: depth + 1 });
  for (const key of oneSchema) {
    const child = schema[key];
    if (key === "items" && Array.isArray(child)) child.forEach((one, i) => add(one, `${key}/${i}`));
    else if (child !== undefined) add(child, key);
  }
  for (const key of listOfSchemas) {
    const list = schema[key];
    if (Array.isArray(list)) list.forEach((child, i) => add(child, `${key}/${i}`));
  }
  for (const key of mapsOfSchemas) {
    const map = schema[key];
    if (isObject(map)) for (const name of Object.keys(map)) add(map[name], `${key}/${name}`);
  }
  return places;
}

function patternsOf({ pattern, patternProperties, format }: JsonObject): string[] {
  const found = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === "string") found.push(pattern);
  // Formats whose own test is a pattern that can take long, or compiles what it is given.
  if (format === "regex" || format === "url") found.push("(");
  return found;
}

/** True where backtracking stays small on short texts: no group, and at most one quantifier that has a choice. */
function isPlain(pattern: string): boolean {
  return !pattern.includes("(") && (pattern.match(/[*+?]|\{\d*,/g)?.length ?? 0) <= 1;
}

/** References may then lead elsewhere than their path says, and to the same part again and again. */
function isNamed({ $id, id, $anchor, $recursiveRef }: JsonObject): boolean {
  return [$id, id, $anchor, $recursiveRef].some((name) => name !== undefined);
}

function pathsAreLonger(schema: JsonObject): boolean {
  const stack: { node: object; length: number }[] = [{ node: schema, length: 0 }];
  let total = 0;
  for (let at = stack.pop(); at !== undefined && total <= pathsLengthMax; at = stack.pop())
    for (const [key, node] of Object.entries(at.node) as [string, Json][]) {
      if (typeof node !== "object" || node === null) continue;
      const length = at.length + key.length + 1;
      total += length;
      stack.push({ node, length });
    }
  return total > pathsLengthMax;
}

function isStrings(value: Json): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function clip(value: Json): string {
  return shorten(JSON.stringify(value), 100);
}
