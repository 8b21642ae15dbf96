/**
 * What a server wants to know, in words: its message, and each field of its form as a question, by its kind, with its
 * title, limits and default. It sends nothing.
 */
import { shorten } from "../base/clip.ts";
import { parseJson } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { faultOf, numberOf } from "../protocol/form-values.ts";
import type { Choice } from "../protocol/form-values.ts";
import type { Field } from "../protocol/form.ts";
import { option } from "./ask.ts";
import type { Option, Questions } from "./ask.ts";
import { oneLine } from "./visible.ts";

/** The value that was given, or undefined for a field that is left out. @throws HostError `cancelled` on Ctrl-C */
export async function askField(
  field: Field,
  before: Json | undefined,
  ask: Questions,
): Promise<Json | undefined> {
  const words = wordsOf(field);
  const preset = before ?? field.default;
  if (field.kind === "boolean") {
    const picked = await pickOne(field, { words, preset, choices: yesOrNo, ask });
    return picked === undefined ? undefined : picked === "true";
  }
  if (field.kind === "choice") {
    const { choices } = field;
    return await pickOne(field, { words, preset, choices, ask });
  }
  if (field.kind === "choices") return await pickSeveral(field, { words, preset, ask });
  const text = await ask.text(words, {
    filled: preset === undefined ? undefined : valueText(field, preset),
    fault: (typed) => textFault(field, typed),
  });
  return text === undefined ? undefined : valueOf(field, text);
}

/** What a field is called. */
export function nameOf({ key, title }: Field): string {
  return oneLine(title ?? key, textMax);
}

/** A value as it is typed and shown. */
export function valueText(field: Field, value: Json): string {
  if (field.kind === "choice") return titleOf(field.choices, value);
  if (field.kind === "choices" && Array.isArray(value))
    return value.map((one) => titleOf(field.choices, one)).join(", ") || "(none)";
  if (field.kind === "boolean") return value === true ? "yes" : "no";
  return field.kind === "text" && typeof value === "string" ? value : JSON.stringify(value);
}

/** Offered with every question. */
export const refusing = [
  { value: "decline", label: "Decline" },
  { value: "cancel", label: "Cancel: neither yes nor no" },
];

/** What the server says, on lines that cannot pass for ours. */
export function messageOf({ message }: JsonObject): string {
  const text = typeof message === "string" ? message.trim() : "";
  return shorten(text, messageMax).replaceAll(/\r?\n|\r/g, "\n  | ");
}

// --- internal ---

const messageMax = 4000;
const textMax = 500;

const yesOrNo: Choice[] = [
  { value: "true", title: "Yes" },
  { value: "false", title: "No" },
];

/** Name, what is said of it, what is expected, and whether it must be given. */
function wordsOf(field: Field): string {
  const { description, isRequired } = field;
  const said = description === undefined ? "" : `\n  ${oneLine(description, textMax)}`;
  const notes = [...expectations(field), ...(isRequired ? [] : ["optional"])];
  return `${nameOf(field)}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}${said}`;
}

function expectations(field: Field): string[] {
  switch (field.kind) {
    case "text":
      return [
        ...(field.format === undefined ? [] : [formatWords[field.format]]),
        ...range(field.minLength, field.maxLength, " characters"),
      ];
    case "number":
      return [
        field.isInteger ? "whole number" : "number",
        ...range(digitsOf(field, "minimum"), digitsOf(field, "maximum"), ""),
      ];
    case "choices":
      return range(field.minItems, field.maxItems, " of them");
    case "other":
      return ["JSON"];
    default:
      return [];
  }
}

const formatWords = {
  email: "e-mail address",
  uri: "URI",
  date: "date, 2026-01-31",
  "date-time": "date and time, 2026-01-31T12:00:00Z",
};

/** As the form has it: a number may be larger than one is read. */
function digitsOf(field: Field, bound: "minimum" | "maximum"): string | undefined {
  const value = field.schema[bound];
  return numberOf(value) === undefined ? undefined : JSON.stringify(value);
}

type Bound = number | string | undefined;

function range(least: Bound, most: Bound, unit: string): string[] {
  if (least !== undefined && most !== undefined) return [`${least} to ${most}${unit}`];
  if (least !== undefined) return [`at least ${least}${unit}`];
  return most === undefined ? [] : [`at most ${most}${unit}`];
}

interface Picking {
  words: string;
  preset: Json | undefined;
  ask: Questions;
}

/** By place, not by value: a value may be any text, the empty one too. */
async function pickOne(
  { isRequired, kind }: Field,
  { words, preset, choices, ask }: Picking & { choices: Choice[] },
): Promise<string | undefined> {
  const options: Option[] = choices.map(({ value, title }, at) => ({
    value: String(at),
    label: kind === "boolean" ? title : labelOf({ value, title }),
  }));
  if (!isRequired) options.push({ value: "", label: "(leave it out)" });
  const at = choices.findIndex(({ value }) => value === String(preset));
  const picked = await ask.pick(words, options, at < 0 ? undefined : String(at));
  return picked === "" ? undefined : choices[Number(picked)]?.value;
}

async function pickSeveral(
  field: Extract<Field, { kind: "choices" }>,
  { words, preset, ask }: Picking,
): Promise<Json | undefined> {
  const { choices, isRequired, minItems } = field;
  const options = choices.map((choice, at) => ({ value: String(at), label: labelOf(choice) }));
  let picked = Array.isArray(preset) ? preset : [];
  for (let fault: string | undefined; ;) {
    const initial = options.filter((_, at) => picked.includes(choices[at]?.value ?? null));
    const text = fault === undefined ? words : `${words}\n  ${fault}`;
    const places = await ask.pickMany(text, options, {
      initial: initial.map(({ value }) => value),
      needsOne: isRequired && (minItems ?? 0) > 0,
    });
    picked = places.flatMap((place) => choices[Number(place)]?.value ?? []);
    if (picked.length === 0 && !isRequired) return undefined;
    fault = faultOf(field, picked);
    if (fault === undefined) return picked;
  }
}

function textFault(field: Field, text: string): string | undefined {
  if (text === "") {
    const isNeeded = field.isRequired && field.default === undefined;
    return isNeeded ? `${nameOf(field)} is needed` : undefined;
  }
  const value = valueOf(field, text);
  if (value === undefined) return field.kind === "number" ? "must be a number" : "must be JSON";
  return faultOf(field, value);
}

/** What was typed, as a value; undefined for what is none. Whole numbers keep every digit. */
function valueOf({ kind }: Field, text: string): Json | undefined {
  if (kind === "text") return text;
  try {
    return parseJson(text.trim());
  } catch {
    return undefined;
  }
}

function titleOf(choices: readonly Choice[], value: Json): string {
  const choice = choices.find((one) => one.value === value);
  return choice === undefined ? JSON.stringify(value) : labelOf(choice);
}

function labelOf({ value, title }: Choice): string {
  return oneLine(option(value, title).label, textMax);
}
