/**
 * The kinds of fields that a form has, and whether a value fits one (protocol.md 1.14). Pure; compiles no pattern, for those
 * come from outside: whoever sends an answer has it checked by the whole schema as well.
 */
import type { Json } from "../base/json.ts";

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

/** The number that a value is; undefined for what is none. One of many digits is kept as its text. */
export function numberOf(value: Json | undefined): number | undefined {
  const number = JSON.isRawJSON(value) ? Number(JSON.stringify(value)) : value;
  return typeof number === "number" ? number : undefined;
}

// --- internal ---

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
  const number = numberOf(value);
  if (number === undefined || !Number.isFinite(number)) return "must be a number";
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
  if (value.length < minItems) return `at least ${minItems} must be picked`;
  return value.length > maxItems ? `at most ${maxItems} may be picked` : undefined;
}

function isChoice({ choices }: { choices: Choice[] }, value: Json): boolean {
  return choices.some((choice) => choice.value === value);
}

function named(choices: readonly Choice[]): string {
  const shown = choices.slice(0, 20).map(({ value }) => JSON.stringify(value));
  return [...shown, ...(choices.length > shown.length ? ["…"] : [])].join(", ");
}
