/**
 * The form of an elicitation as data: its fields, what is wrong with an answer, and the defaults (protocol.md 1.14,
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation). Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { faultOf, numberOf } from "./form-values.ts";
import type { Choice, FieldKind, TextFormat } from "./form-values.ts";

export type Field = FieldKind & {
  key: string;
  title?: string;
  description?: string;
  isRequired: boolean;
  /** Only one that fits the field. */
  default?: Json;
  schema: JsonObject;
};

/** The fields of a `requestedSchema`, in its order. What is no schema of an object has none. */
export function readForm(schema: Json | undefined): Field[] {
  if (!isObject(schema) || !isObject(schema.properties)) return [];
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(schema.properties).map(([key, value]) =>
    readField(key, isObject(value) ? value : {}, required.includes(key)),
  );
}

/** All that is wrong with the content of an answer, a line each. Keys that the form does not have are none of its business. */
export function faultsOf(fields: readonly Field[], content: JsonObject): string[] {
  return fields.flatMap((field) => {
    const { key, isRequired } = field;
    const value = Object.hasOwn(content, key) ? content[key] : undefined;
    if (value === undefined) return isRequired ? [`${key} is missing`] : [];
    const fault = faultOf(field, value);
    return fault === undefined ? [] : [`${key} ${fault}`];
  });
}

/** The content with the default of each field that it leaves out. */
export function withDefaults(fields: readonly Field[], content: JsonObject): JsonObject {
  const missing = fields.filter(
    ({ key, default: value }) =>
      value !== undefined && (!Object.hasOwn(content, key) || content[key] === undefined),
  );
  return Object.fromEntries([
    ...Object.entries(content).filter(([, value]) => value !== undefined),
    ...missing.map(({ key, default: value }): [string, Json | undefined] => [key, value]),
  ]);
}

// --- internal ---

const formats: ReadonlySet<Json | undefined> = new Set<Json>(["email", "uri", "date", "date-time"]);

function readField(key: string, schema: JsonObject, isRequired: boolean): Field {
  const { title, description, default: preset } = schema;
  const kind = kindOf(schema);
  const fits = preset !== undefined && faultOf(kind, preset) === undefined;
  return {
    ...kind,
    key,
    ...(typeof title === "string" && { title }),
    ...(typeof description === "string" && { description }),
    isRequired,
    ...(fits && { default: preset }),
    schema,
  };
}

function kindOf(schema: JsonObject): FieldKind {
  const { type, items, format } = schema;
  const choices = choicesOf(schema, "oneOf");
  if (choices !== undefined && (type === undefined || type === "string"))
    return { kind: "choice", choices };
  if (type === "string")
    return {
      kind: "text",
      ...(formats.has(format) && { format: format as TextFormat }),
      ...numbersOf(schema, ["minLength", "maxLength"]),
    };
  if (type === "number" || type === "integer") {
    const isInteger = type === "integer";
    return { kind: "number", isInteger, ...numbersOf(schema, ["minimum", "maximum"]) };
  }
  if (type === "boolean") return { kind: "boolean" };
  const several = type === "array" && isObject(items) ? choicesOf(items, "anyOf") : undefined;
  if (several === undefined) return { kind: "other" };
  return { kind: "choices", choices: several, ...numbersOf(schema, ["minItems", "maxItems"]) };
}

/** The choices of `enum`, with the titles of the older `enumNames`, or of a union of titled constants. */
function choicesOf(schema: JsonObject, first: "oneOf" | "anyOf"): Choice[] | undefined {
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values)) {
    if (values.length === 0 || !values.every((value) => typeof value === "string"))
      return undefined;
    const titles = Array.isArray(names) ? names : [];
    return values.map((value, at) => ({ value, title: textOr(titles[at], value) }));
  }
  const union = schema[first] ?? schema[first === "oneOf" ? "anyOf" : "oneOf"];
  if (!Array.isArray(union) || union.length === 0) return undefined;
  const choices = union.flatMap((one) => {
    if (!isObject(one) || typeof one.const !== "string") return [];
    return [{ value: one.const, title: textOr(one.title, one.const) }];
  });
  return choices.length === union.length ? choices : undefined;
}

function textOr(value: Json | undefined, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value : otherwise;
}

function numbersOf<Key extends string>(
  schema: JsonObject,
  keys: readonly Key[],
): { [key in Key]?: number } {
  const found = keys.map((key) => [key, numberOf(schema[key])] as const);
  return Object.fromEntries(found.filter(([, number]) => number !== undefined)) as {
    [key in Key]?: number;
  };
}
