/**
 * What a tool takes, as models are told of it. Their providers refuse a whole request for one schema that is not an
 * object's, for an object's that names no properties, and for an array's that says nothing of its items: what is said here
 * besides, with `properties: {}` and `items: {}`, means the same. Pure.
 */
import { isDeeper, isObject, type Json, type JsonObject } from "../base/json.ts";
import { strictSchema } from "./gateway-strict.ts";
import { kindOf } from "./openapi-refs.ts";

/** Nothing of a schema that is nested more than 200 levels deep is added to. */
const depthMax = 200;

/** The `parameters` of a function. */
export function parametersOf(inputSchema: JsonObject): JsonObject {
  const schema = strictSchema(inputSchema, "legacy");
  const whole = schema.properties === undefined ? { ...schema, properties: {} } : schema;
  return isDeeper(whole, depthMax) ? whole : spelledOut(whole);
}

// --- internal ---

function spelledOut(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    const kind = kindOf(key);
    return [key, kind === "data" ? value : within(value, kind === "table")];
  });
  if (isArrayOfWhatever(schema)) entries.push(["items", {}]);
  // Entries, never assignment: a key may be `__proto__`.
  return Object.fromEntries(entries);
}

function within(value: Json | undefined, isTable: boolean): Json | undefined {
  if (Array.isArray(value)) return value.map((one) => within(one, false) ?? null);
  if (!isObject(value)) return value;
  if (!isTable) return spelledOut(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, within(one, false)]));
}

function isArrayOfWhatever({ type, items }: JsonObject): boolean {
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"));
  return isArray && items === undefined;
}
