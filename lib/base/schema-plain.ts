/**
 * The short way for the schemas that nearly all tools have: says "it surely fits", or nothing. What it does not know to
 * the letter is left to the validator, which is milliseconds away; so it never refuses a value and never errs. Pure.
 */
import type { Json, JsonObject } from "./json.ts";
import { isObject } from "./json.ts";

/** True where the value fits the schema; false where only the validator can tell. */
export function surelyFits(schema: unknown, value: Json | undefined): boolean {
  return stepsLeft(schema, value, 0, stepsMax) >= 0;
}

// --- internal ---

const depthMax = 32;
/** Enough for all honest schemas and values; some 50 ms. */
const stepsMax = 2_000_000;
/** It does not fit, or only the validator can tell. */
const unknown = -1;

// Loops, not callbacks, no list of keys and no sets: this is on the path of every call.

/**
 * An object, or a kept number, whose only member is no keyword that is known. Not by `isObject`: a one-shot call asks that so
 * often already that the engine would begin to compile it.
 */
function isNode(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** How many of `steps` are left when it fits; below 0 where that is not known. */
function stepsLeft(schema: unknown, value: Json | undefined, depth: number, steps: number): number {
  if (schema === true) return steps;
  if (!isNode(schema) || depth > depthMax) return unknown;
  let left = steps - 1;
  for (const key in schema) {
    const rule = schema[key];
    if (rule === undefined) continue;
    switch (key) {
      case "type":
        if (!hasType(rule, value)) return unknown;
        left -= lengthOf(rule);
        break;
      case "required":
        if (!hasRequired(rule, value)) return unknown;
        left -= lengthOf(rule);
        break;
      case "enum":
        if (!isAmong(rule, value)) return unknown;
        left -= lengthOf(rule);
        break;
      case "$schema":
        if (!isKnownDialect(rule)) return unknown;
        break;
      default:
        if (!isOther(key)) return unknown;
    }
    if (left < 0) return unknown;
  }
  if (typeof value !== "object" || value === null) return left;
  if (Array.isArray(value)) return itemsLeft(schema.items, value, depth + 1, left);
  return isObject(value) ? membersLeft(schema, value, depth + 1, left) : unknown;
}

/** They agree on all of the known keywords. */
function isKnownDialect(uri: Json): boolean {
  switch (uri) {
    case "http://json-schema.org/draft-07/schema#":
    case "http://json-schema.org/draft-07/schema":
    case "https://json-schema.org/draft/2020-12/schema":
      return true;
    default:
      return false;
  }
}

/** Keywords that only annotate, or are about what the value holds. */
function isOther(keyword: string): boolean {
  switch (keyword) {
    case "properties":
    case "additionalProperties":
    case "items":
    case "title":
    case "description":
    case "default":
    case "examples":
    case "deprecated":
    case "format":
      return true;
    default:
      return false;
  }
}

function itemsLeft(
  items: Json | undefined,
  values: readonly Json[],
  depth: number,
  steps: number,
): number {
  let left = steps;
  if (items === undefined) return left;
  for (const value of values) {
    left = stepsLeft(items, value, depth, left);
    if (left < 0) return unknown;
  }
  return left;
}

function membersLeft(schema: JsonObject, value: JsonObject, depth: number, steps: number): number {
  const { properties, additionalProperties = true } = schema;
  if (properties !== undefined && !isNode(properties)) return unknown;
  let left = steps;
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const isNamed = properties !== undefined && Object.hasOwn(properties, key);
    left = stepsLeft(isNamed ? properties[key] : additionalProperties, value[key], depth, left);
    if (left < 0) return unknown;
  }
  return left;
}

/** What is no object needs no members. */
function hasRequired(required: Json, value: Json | undefined): boolean {
  if (!isNode(value)) return true;
  if (!Array.isArray(required)) return false;
  for (const key of required) if (!Object.hasOwn(value, String(key))) return false;
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
