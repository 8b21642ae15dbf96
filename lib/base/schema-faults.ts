/**
 * Looks over a JSON Schema before it is used: what dialect it is in, what is wrong with it, and whether checking by it could
 * take long. Pure, and bounded: it walks with a stack of its own, follows no reference and runs no pattern.
 */
import { shorten } from "./clip.ts";
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { resolverOf } from "./pointer.ts";
import { bindEarly, mendSchema } from "./schema-mend.ts";
import type { Draft } from "./schema-mend.ts";
import { childrenOf, listsOfSchemas, mapsOfSchemas } from "./schema-places.ts";
import type { Place } from "./schema-places.ts";

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
  // What serializers write where it is absent says nothing.
  const dialect = schema.$schema ?? "";
  if (dialect !== "") {
    const name = String(dialect)
      .replace(/^https?:\/\//, "")
      .replace(/#$/, "");
    const draft = dialects.get(name);
    if (draft === undefined) report.fault = `its dialect ${clip(dialect)} is not supported`;
    else report.draft = draft;
  }
  if (pathsAreLonger(schema)) report.fault = "its keys are too long and too many";
  const resolve = resolverOf(schema);
  const seen = new Set<Json>();
  let [isDynamic, isOne] = [false, true];
  const stack: Place[] = [{ schema, path: "#", depth: 0 }];
  for (
    let place = stack.pop();
    place !== undefined && report.fault === undefined;
    place = stack.pop()
  ) {
    const { schema: here, depth } = place;
    if (here === undefined || typeof here === "boolean" || seen.has(here)) continue;
    seen.add(here);
    if (report.draft === "2020-12" && isObject(here)) isDynamic = bindEarly(here) || isDynamic;
    const fault = inspectOne(place, report);
    if (fault !== undefined) report.fault = `${place.path.slice(0, 100)} ${fault}`;
    if (!isObject(here)) continue;
    stack.push(...childrenOf(here, place));
    isOne &&= depth === 0 || here.$id === undefined;
    if (typeof here.$ref !== "string") continue;
    const target = resolve(here.$ref);
    if (target === undefined) report.lost ??= here.$ref;
    // It may stand where no schema is looked for.
    else if (isObject(target)) stack.push({ schema: target, path: here.$ref, depth: 1 });
  }
  if (isDynamic && !isOne)
    report.fault ??= 'it has a "$dynamicRef" and parts with an "$id", which is not supported';
  return report;
}

// --- internal ---

const types = new Set<Json>(["string", "number", "integer", "boolean", "object", "array", "null"]);
const numbers = words(
  "maximum minimum multipleOf exclusiveMaximum exclusiveMinimum maxItems maxLength maxProperties " +
    "minItems minLength minProperties maxContains minContains",
);

function words(text: string): readonly string[] {
  return text.split(" ");
}

/** Mends one schema, and notes what is to be known of it. Returns what is wrong with it. */
function inspectOne(place: Place, report: SchemaReport): string | undefined {
  const { schema, depth } = place;
  if (!isObject(schema)) return faultOf(place, report.draft);
  const foreign = mendSchema(schema, report.draft, depth === 0);
  if (foreign !== undefined) report.foreign ??= foreign;
  report.heavy ||= depth > 0 && isNamed(schema);
  for (const pattern of patternsOf(schema)) {
    report.patterns = true;
    report.heavy ||= !isPlain(pattern);
  }
  return faultOf(place, report.draft);
}

function faultOf({ schema, depth }: Place, draft: Draft): string | undefined {
  if (depth > schemaDepthMax) return `is nested more than ${schemaDepthMax} levels deep`;
  if (!isObject(schema)) return "is not a schema";
  const { type, required, enum: values, $ref, pattern } = schema;
  if (type !== undefined && ![type].flat().every((one) => types.has(one)))
    return `has the unknown type ${clip(type)}`;
  if (required !== undefined && !isStrings(required))
    return 'has a "required" that is no list of names';
  if (values !== undefined && !Array.isArray(values)) return 'has an "enum" that is no list';
  if ($ref !== undefined && typeof $ref !== "string") return 'has a "$ref" that is no text';
  if (pattern !== undefined && typeof pattern !== "string")
    return 'has a "pattern" that is no text';
  for (const key of listsOfSchemas)
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

function patternsOf({ pattern, patternProperties }: JsonObject): string[] {
  const found = isObject(patternProperties) ? Object.keys(patternProperties) : [];
  if (typeof pattern === "string") found.push(pattern);
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
