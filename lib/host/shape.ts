/**
 * What values a JSON Schema allows, as far as a glance tells: types and constants, through local references and unions.
 * Enough to read a command line by and to print a signature; it never validates, and never says more than it knows.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { resolverOf } from "../base/pointer.ts";
import type { Resolve } from "../base/pointer.ts";
import { typeMeant } from "../base/schema-types.ts";
import type { JsonType } from "../base/schema-types.ts";

/** Either `types` or `constants` admit a value; both empty means that nothing is known. */
export interface Shape {
  types: ReadonlySet<JsonType>;
  /** From `enum` and `const`. */
  constants: readonly Json[];
}

const unknown: Shape = { types: new Set(), constants: [] };

/** True where nothing is known of the values. */
export function isUnknown(shape: Shape): boolean {
  return shape.types.size === 0 && shape.constants.length === 0;
}

/**
 * The shape of `schema`, whose local references point into `root`. Each schema is looked at once (`seen`), so that
 * recursive and hostile ones end.
 */
export function shapeOf(
  schema: Json | undefined,
  root: JsonObject,
  resolve = resolverOf(root),
  seen = new Map<JsonObject, Shape>(),
): Shape {
  if (!isObject(schema)) return unknown;
  const before = seen.get(schema);
  if (before !== undefined) return before;
  seen.set(schema, unknown);
  const shape = lookAt(schema, (one) => shapeOf(one, root, resolve, seen), resolve);
  seen.set(schema, shape);
  return shape;
}

/** What `root` says of the property `key`; of several places any may hold. Patterns speak where no name does, then the rest. */
export function propertyShape(root: JsonObject, key: string): Shape {
  const named: Json[] = [];
  const others: Json[] = [];
  const resolve = resolverOf(root);
  for (const schema of applied(root, resolve, alternatives)) {
    const { properties } = schema;
    if (isObject(properties) && Object.hasOwn(properties, key)) named.push(properties[key] ?? true);
    else others.push(...unnamed(schema, key));
  }
  const shapes: Shape[] = [];
  for (const one of named.length > 0 ? named : others) shapes.push(shapeOf(one, root, resolve));
  return joined(shapes);
}

/**
 * The declared arguments of a schema: required ones first, else in their order, then those of its alternatives, which are
 * required in some of them at most. What is required and nowhere described can be anything.
 */
export function propertiesOf(root: JsonObject): { key: string; required: boolean; schema: Json }[] {
  const resolve = resolverOf(root);
  const found = new Map<string, Json>();
  const required = new Set<string>();
  const always = applied(root, resolve, ["allOf"]);
  for (const { properties, required: names } of always) {
    for (const [key, value] of Object.entries(isObject(properties) ? properties : {}))
      if (!found.has(key)) found.set(key, value ?? true);
    for (const name of Array.isArray(names) ? names : [])
      if (typeof name === "string") required.add(name);
  }
  const sometimes = new Map<string, Json[]>();
  for (const schema of applied(root, resolve, alternatives)) {
    if (always.has(schema) || !isObject(schema.properties)) continue;
    for (const [key, value] of Object.entries(schema.properties))
      if (!found.has(key)) sometimes.set(key, [...(sometimes.get(key) ?? []), value ?? true]);
  }
  for (const [key, anyOf] of sometimes)
    found.set(key, anyOf.length === 1 ? (anyOf[0] ?? true) : { anyOf });
  for (const name of required) if (!found.has(name)) found.set(name, true);
  const all = Array.from(found, ([key, schema]) => ({ key, required: required.has(key), schema }));
  return [...all.filter((one) => one.required), ...all.filter((one) => !one.required)];
}

/**
 * The keys of `value` that `root` names nowhere: none where it names no properties, or says by itself what holds for
 * others (`additionalProperties`, patterns).
 */
export function straysOf(root: JsonObject, value: JsonObject): string[] {
  const named = new Set<string>();
  for (const schema of applied(root, resolverOf(root), conditional)) {
    for (const keyword of speaksOfOthers) if (schema[keyword] !== undefined) return [];
    const { properties } = schema;
    for (const key of Object.keys(isObject(properties) ? properties : {})) named.add(key);
  }
  const strays: string[] = [];
  if (named.size > 0) for (const key of Object.keys(value)) if (!named.has(key)) strays.push(key);
  return strays;
}

// --- internal ---

// Loops, not callbacks: what those are made of is compiled first, and this is on the way of every first call.

const alternatives = ["allOf", "anyOf", "oneOf", "then", "else"];
const conditional = [...alternatives, "if"];
const speaksOfOthers = [
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
  "dependentSchemas",
];

/** What a schema says of a property that it does not name. */
function unnamed({ patternProperties, additionalProperties }: JsonObject, key: string): Json[] {
  const found: Json[] = [];
  for (const [pattern, schema] of Object.entries(
    isObject(patternProperties) ? patternProperties : {},
  )) {
    const matches = isMatch(pattern, key);
    if (matches === undefined) return [true];
    if (matches) found.push(schema ?? true);
  }
  if (found.length > 0) return found;
  return isObject(additionalProperties) ? [additionalProperties] : [];
}

/** Undefined for a pattern that is none, and for one with groups or several repetitions, which could take for ever. */
function isMatch(pattern: string, key: string): boolean | undefined {
  if (pattern.includes("(") || (pattern.match(/[*+{]/g) ?? []).length > 1) return undefined;
  try {
    return new RegExp(pattern, "u").test(key);
  } catch {
    return undefined;
  }
}

function lookAt(
  { enum: values, const: value, type, nullable, anyOf, oneOf, allOf, $ref }: JsonObject,
  look: (schema: Json | undefined) => Shape,
  resolve: Resolve,
): Shape {
  if (value !== undefined) return { types: new Set(), constants: [value] };
  // OpenAPI's word is taken when arguments are checked, too.
  const orNull = nullable === true;
  if (Array.isArray(values))
    return { types: new Set(), constants: orNull ? [...values, null] : values };
  const types = new Set<JsonType>();
  for (const one of Array.isArray(type) ? type : [type]) {
    const meant = typeMeant(one);
    if (meant === "any") return unknown;
    if (meant !== undefined) types.add(meant);
  }
  if (orNull && types.size > 0) types.add("null");
  if (types.size > 0) return { types, constants: [] };
  for (const union of [anyOf, oneOf]) if (Array.isArray(union)) return joined(union.map(look));
  const target = typeof $ref === "string" ? [resolve($ref)] : [];
  const shapes = [...target, ...(Array.isArray(allOf) ? allOf : [])].map(look);
  return shapes.find((shape) => !isUnknown(shape)) ?? unknown;
}

function joined(shapes: Shape[]): Shape {
  const [first = unknown, ...others] = shapes;
  if (others.length === 0) return first;
  if (shapes.some(isUnknown)) return unknown;
  return {
    types: new Set(shapes.flatMap((shape) => [...shape.types])),
    constants: shapes.flatMap((shape) => shape.constants),
  };
}

/** `schema` and the schemas that apply to the same value by reference or by the given keywords, each once. */
function applied(
  schema: Json | undefined,
  resolve: Resolve,
  keywords: readonly string[],
  seen = new Set<JsonObject>(),
): Set<JsonObject> {
  if (!isObject(schema) || seen.has(schema)) return seen;
  seen.add(schema);
  if (typeof schema.$ref === "string") applied(resolve(schema.$ref), resolve, keywords, seen);
  for (const keyword of keywords) {
    const value = schema[keyword];
    if (Array.isArray(value)) for (const one of value) applied(one, resolve, keywords, seen);
    else if (value !== undefined) applied(value, resolve, keywords, seen);
  }
  return seen;
}
