/** A value that a JSON Schema takes, as plain as can be, for an example that can be copied. A pattern is not followed. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { resolverOf } from "../base/pointer.ts";
import type { Resolve } from "../base/pointer.ts";

/** `schema`, whose local references point into `root`; an example or default of its own, else the plainest value of its type. */
export function sampleOf(schema: Json, root: JsonObject): Json {
  return valueOf(schema, resolverOf(root), 0);
}

// --- internal ---

/** Deeper than that a value stays empty: a schema may hold itself. */
const depthMax = 6;
/** Entries of an array. */
const entriesMax = 20;
/** Characters of a text that has to be long. */
const textMax = 200;

type First = (keyword: string) => Json | undefined;

function valueOf(schema: Json | undefined, resolve: Resolve, depth: number): Json {
  const parts = partsOf(schema, resolve);
  const first: First = (keyword) => parts.find((part) => part[keyword] !== undefined)?.[keyword];
  for (const keyword of ["examples", "enum"]) {
    const values = first(keyword);
    if (Array.isArray(values) && values[0] !== undefined) return values[0];
  }
  for (const keyword of ["default", "const"]) {
    const value = first(keyword);
    if (value !== undefined) return value;
  }
  const type = typeOf(parts, first);
  if (type === "string") return textOf(first);
  if (type === "integer" || type === "number") return numberOf(first, type === "integer");
  if (type === "boolean") return true;
  if (type === "null") return null;
  if (depth === depthMax) return type === "array" ? [] : {};
  const inner = (one: Json | undefined) => valueOf(one, resolve, depth + 1);
  return type === "array" ? arrayOf(first, inner) : objectOf(parts, inner);
}

/** The schemas that hold for one value: with what they refer to, and the plainest of each one's alternatives. */
function partsOf(
  schema: Json | undefined,
  resolve: Resolve,
  seen = new Set<JsonObject>(),
): JsonObject[] {
  if (!isObject(schema) || seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, allOf, anyOf, oneOf } = schema;
  const more: (Json | undefined)[] = typeof $ref === "string" ? [resolve($ref)] : [];
  if (Array.isArray(allOf)) more.push(...allOf);
  for (const union of [anyOf, oneOf]) if (Array.isArray(union)) more.push(plainest(union, resolve));
  return [schema, ...more.flatMap((one) => partsOf(one, resolve, seen))];
}

/** From the plainest on. */
const types = ["string", "integer", "number", "boolean", "array", "object", "null"];

function plainest(union: Json[], resolve: Resolve): Json | undefined {
  const rankOf = (one: Json) => {
    const { $ref } = isObject(one) ? one : {};
    const target = typeof $ref === "string" ? resolve($ref) : one;
    const { type, enum: values, const: value } = isObject(target) ? target : {};
    if (values !== undefined || value !== undefined) return -1;
    // What says no type of its own comes last.
    return types.includes(String(type)) ? types.indexOf(String(type)) : types.length;
  };
  return union.toSorted((a, b) => rankOf(a) - rankOf(b))[0];
}

function typeOf(parts: readonly JsonObject[], first: First): string {
  const given = first("type");
  const named = Array.isArray(given) ? given : [given];
  const known = types.find((type) => named.includes(type));
  if (known !== undefined) return known;
  return parts.some((part) => isObject(part.properties)) ? "object" : "string";
}

const formats: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T12:00:00Z",
  time: "12:00:00Z",
  duration: "PT1H",
  email: "ada@example.com",
  uri: "https://example.com/",
  url: "https://example.com/",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "00000000-0000-4000-8000-000000000000",
};

function textOf(first: First): string {
  const format = first("format");
  const known = typeof format === "string" ? formats[format] : undefined;
  if (known !== undefined) return known;
  const [least, most] = [first("minLength"), first("maxLength")];
  const text = "text".padEnd(typeof least === "number" ? Math.min(least, textMax) : 0, ".");
  return typeof most === "number" ? text.slice(0, most) : text;
}

function numberOf(first: First, isWhole: boolean): number {
  const [least, above, most, below, step] = [
    "minimum",
    "exclusiveMinimum",
    "maximum",
    "exclusiveMaximum",
    "multipleOf",
  ].map((keyword) => {
    const value = first(keyword);
    return typeof value === "number" ? value : undefined;
  });
  const tick = step ?? (isWhole || above === undefined || below === undefined ? 1 : 0);
  const low = least ?? (above === undefined ? undefined : above + tick);
  const high = most ?? (below === undefined ? undefined : below - tick);
  if (tick === 0) return ((above ?? 0) + (below ?? 0)) / 2;
  const start = low ?? Math.min(1, high ?? 1);
  const value = step === undefined ? start : Math.ceil(start / step) * step;
  return isWhole ? Math.ceil(value) : value;
}

/** No more entries than there have to be. */
function arrayOf(first: First, inner: (schema: Json | undefined) => Json): Json[] {
  const [least, prefix, items] = [first("minItems"), first("prefixItems"), first("items")];
  const heads = Array.isArray(prefix) ? prefix : Array.isArray(items) ? items : [];
  const length = typeof least === "number" ? Math.min(least, entriesMax) : 0;
  return Array.from({ length }, (_, at) => inner(at < heads.length ? heads[at] : items));
}

/** Its required properties. */
function objectOf(
  parts: readonly JsonObject[],
  inner: (schema: Json | undefined) => Json,
): JsonObject {
  const names = parts.flatMap(({ required }) => (Array.isArray(required) ? required : []));
  const value: [string, Json][] = [];
  for (const name of new Set(names)) {
    if (typeof name !== "string") continue;
    const holder = parts.find(
      ({ properties }) => isObject(properties) && Object.hasOwn(properties, name),
    );
    value.push([name, inner((holder?.properties as JsonObject | undefined)?.[name])]);
  }
  return Object.fromEntries(value);
}
