/**
 * The form of an elicitation as data: its fields, what is wrong with a value, and the defaults (protocol.md 1.14,
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation). Pure; compiles no pattern, for those come
 * from outside: whoever sends an answer has it checked by the whole schema as well.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";

export type TextFormat = "email" | "uri" | "date" | "date-time";

/** One of a few values, and how it is called. */
export interface Choice {
  value: string;
  title: string;
}

/** `other`: a kind that forms do not have; it is asked for as JSON, and only the schema can judge it. */
export type FieldKind =
  | { kind: "text"; format?: TextFormat; minLength?: number; maxLength?: number }
  | { kind: "number"; isInteger: boolean; minimum?: number; maximum?: number }
  | { kind: "boolean" }
  | { kind: "choice"; choices: Choice[] }
  | { kind: "choices"; choices: Choice[]; minItems?: number; maxItems?: number }
  | { kind: "other" };

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

/** Why a value does not fit a field, in words that follow its name; undefined where it does, as far as can be told here. */
export function faultOf(field: FieldKind, value: Json): string | undefined {
  switch (field.kind) {
    case "text":
      return typeof value === "string" ? textFault(field, value) : "must be a text";
    case "number":
      return numberFault(field, value);
    case "boolean":
      return typeof value === "boolean" ? undefined : "must be true or false";
    case "choice":
      return isChoice(field, value) ? undefined : `must be one of ${named(field.choices)}`;
    case "choices":
      return choicesFault(field, value);
    case "other":
      return undefined;
  }
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
  const found = keys.filter((key) => typeof schema[key] === "number");
  return Object.fromEntries(found.map((key) => [key, schema[key]])) as { [key in Key]?: number };
}

function textFault(field: Extract<FieldKind, { kind: "text" }>, text: string): string | undefined {
  const { format, minLength = 0, maxLength = Infinity } = field;
  const length = Array.from(text).length;
  if (length < minLength) return `must have at least ${minLength} characters`;
  if (length > maxLength) return `must have at most ${maxLength} characters`;
  return format === undefined || hasFormat[format](text) ? undefined : formatFaults[format];
}

const formatFaults: Record<TextFormat, string> = {
  email: "must be an e-mail address",
  uri: "must be a URI, such as https://example.com/",
  date: "must be a date, such as 2026-01-31",
  "date-time": "must be a date and time, such as 2026-01-31T12:00:00Z",
};

/** RFC 5321 as far as one sees it; RFC 3986 with a scheme; RFC 3339. */
const hasFormat: Record<TextFormat, (text: string) => boolean> = {
  email: (text) => text.length <= 320 && /^[^\s@]+@[^\s@]+$/.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text),
  date: isDate,
  "date-time": (text) =>
    /^.{10}[Tt ]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.test(
      text,
    ) && isDate(text.slice(0, 10)),
};

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function numberFault(
  field: Extract<FieldKind, { kind: "number" }>,
  value: Json,
): string | undefined {
  const { isInteger, minimum = -Infinity, maximum = Infinity } = field;
  // One of many digits is kept as its text.
  const number = JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value;
  if (typeof number !== "number" || !Number.isFinite(number)) return "must be a number";
  if (isInteger && !Number.isInteger(number)) return "must be a whole number";
  if (number < minimum) return `must be at least ${minimum}`;
  return number > maximum ? `must be at most ${maximum}` : undefined;
}

function choicesFault(
  field: Extract<FieldKind, { kind: "choices" }>,
  value: Json,
): string | undefined {
  const { choices, minItems = 0, maxItems = Infinity } = field;
  if (!Array.isArray(value)) return "must be a list";
  if (!value.every((one) => isChoice(field, one))) return `must be of ${named(choices)}`;
  if (value.length < minItems) return `must be at least ${minItems} of them`;
  return value.length > maxItems ? `must be at most ${maxItems} of them` : undefined;
}

function isChoice({ choices }: { choices: Choice[] }, value: Json): boolean {
  return choices.some((choice) => choice.value === value);
}

function named(choices: readonly Choice[]): string {
  const shown = choices.slice(0, 20).map(({ value }) => JSON.stringify(value));
  return [...shown, ...(choices.length > shown.length ? ["…"] : [])].join(", ");
}
