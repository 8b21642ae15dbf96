/**
 * The short way for the schemas that nearly all tools have: says "it surely fits", or nothing. What it does not know to
 * the letter is left to the validator, which is milliseconds away; so it never refuses a value and never errs. Pure.
 */
import type { Json, JsonObject } from "./json.ts";
import { isObject } from "./json.ts";

/** True where the value fits the schema; false where only the validator can tell. */
export function surelyFits(schema: unknown, value: Json | undefined): boolean {
  return fits(schema, value, 0, { left: stepsMax });
}

// --- internal ---

const depthMax = 32;
/** Enough for all honest schemas and values; some 50 ms. */
const stepsMax = 2_000_000;

interface Steps {
  left: number;
}

function fits(schema: unknown, value: Json | undefined, depth: number, steps: Steps): boolean {
  if (schema === true) return true;
  if (!isObject(schema) || depth > depthMax) return false;
  for (const key in schema) if (!known.has(key)) return false;
  const { $schema, type, items } = schema;
  steps.left -= 1 + lengthOf(type) + lengthOf(schema.enum) + lengthOf(schema.required);
  if (steps.left < 0) return false;
  if ($schema !== undefined && !dialects.has(String($schema))) return false;
  if (schema.enum !== undefined && !isAmong(schema.enum, value)) return false;
  if (type !== undefined && !hasType(type, value)) return false;
  if (Array.isArray(value)) return items === undefined || itemsFit(items, value, depth + 1, steps);
  if (!isObject(value)) return typeof value !== "object" || value === null;
  return hasRequired(schema, value) && membersFit(schema, value, depth + 1, steps);
}

/** They agree on all of the known keywords. */
const dialects = new Set([
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-07/schema",
  "https://json-schema.org/draft/2020-12/schema",
]);

const known = new Set(
  (
    "$schema title description default examples deprecated format " +
    "type properties required additionalProperties items enum"
  ).split(" "),
);

// Loops, not callbacks, and no list of keys: this is on the path of every call.

function itemsFit(items: Json, values: readonly Json[], depth: number, steps: Steps): boolean {
  for (const value of values) if (!fits(items, value, depth, steps)) return false;
  return true;
}

function hasRequired({ required }: JsonObject, value: JsonObject): boolean {
  if (required === undefined) return true;
  if (!Array.isArray(required)) return false;
  for (const key of required) if (!Object.hasOwn(value, String(key))) return false;
  return true;
}

function membersFit(schema: JsonObject, value: JsonObject, depth: number, steps: Steps): boolean {
  const { properties, additionalProperties = true } = schema;
  if (properties !== undefined && !isObject(properties)) return false;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const isNamed = properties !== undefined && Object.hasOwn(properties, key);
    const rule = isNamed ? properties[key] : additionalProperties;
    if (!fits(rule, value[key], depth, steps)) return false;
  }
  return true;
}

function hasType(type: Json, value: Json | undefined): boolean {
  if (Array.isArray(type)) {
    for (const one of type) if (hasType(one, value)) return true;
    return false;
  }
  switch (type) {
    case "string":
    case "boolean":
      return typeof value === type;
    case "number":
      return typeof value === "number";
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return false;
  }
}

function lengthOf(list: Json | undefined): number {
  return Array.isArray(list) ? list.length : 0;
}

function isAmong(values: Json, value: Json | undefined): boolean {
  return Array.isArray(values) && typeof value !== "object" && values.includes(value as Json);
}
