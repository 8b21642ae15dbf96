/** What a validator complains about, in words for a person: where, what was expected, what was there. Pure. */
import { shorten } from "./clip.ts";
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { atReference, resolverOf } from "./pointer.ts";
import { unionWords } from "./schema-unions.ts";
import type { Complaint } from "./schema-unions.ts";

export interface Problem {
  /** JSON pointer into the value; empty for the whole. */
  path: string;
  message: string;
  /** The schema's keyword that was not met; `false` for a property that is not allowed. */
  keyword: string;
}

const problemsMax = 20;

/** The complaints without those that only repeat what is said deeper down, in the schema's order. */
export function describeComplaints(
  complaints: readonly Complaint[],
  schema: JsonObject,
  value: Json,
): Problem[] {
  const problems = new Map<string, Problem>();
  const unions: string[] = [];
  for (const complaint of complaints) {
    if (problems.size >= problemsMax || unions.length >= problemsMax) break;
    const { keyword, keywordLocation, instanceLocation } = complaint;
    if (unions.some((union) => keywordLocation.startsWith(union))) continue;
    if (containers.has(keyword) && !isAlone(complaint, complaints)) continue;
    if (unionLike.has(keyword)) unions.push(`${keywordLocation}/`);
    const said = {
      rule: schemaAt(schema, keywordLocation),
      beside: schemaAt(schema, keywordLocation.slice(0, keywordLocation.lastIndexOf("/"))),
      given: atReference(value, instanceLocation),
    };
    const parent = decodeURIComponent(instanceLocation.slice(1));
    for (const { key, message } of wordsFor(complaint, said, complaints)) {
      const path = key === undefined ? parent : `${parent}/${escapeKey(key)}`;
      problems.set(`${path} ${message}`, { path, message, keyword });
    }
  }
  return [...problems.values()];
}

// --- internal ---

/** Keywords that complain only because something below them does. */
const containers = new Set(
  (
    "$ref $recursiveRef allOf if properties patternProperties propertyNames additionalProperties " +
    "unevaluatedProperties dependentSchemas dependencies items prefixItems additionalItems unevaluatedItems"
  ).split(" "),
);

/** `dependencies` may be names, too (older drafts): then nothing below it complains. */
function isAlone({ keyword, keywordLocation: at }: Complaint, all: readonly Complaint[]): boolean {
  return keyword === "dependencies" && !all.some((one) => one.keywordLocation.startsWith(`${at}/`));
}

/** Keywords that say all that there is to say of what complains below them. */
const unionLike = new Set(["anyOf", "oneOf", "contains", "minContains"]);

interface Said {
  /** What the schema says at the keyword. */
  rule: Json | undefined;
  /** The schema that has the keyword. */
  beside: Json | undefined;
  /** What the value is there. */
  given: Json | undefined;
}

function wordsFor(
  complaint: Complaint,
  said: Said,
  all: readonly Complaint[],
): { key?: string; message: string }[] {
  const { rule, given } = said;
  const got = `got ${show(given)}`;
  switch (complaint.keyword) {
    case "type":
      // Where the validator found its way by a reference that we do not follow.
      if (rule === undefined) break;
      return [{ message: `expected ${[rule].flat().join(" or ")}, ${got}` }];
    case "required": {
      const has = isObject(given) ? given : {};
      const missing = (Array.isArray(rule) ? rule : []).filter(
        (key) => !Object.hasOwn(has, String(key)),
      );
      return missing
        .slice(0, problemsMax)
        .map((key) => ({ key: String(key), message: "is missing" }));
    }
    case "enum":
      return [{ message: `expected one of ${showAll(rule)}, ${got}` }];
    case "const":
      return [{ message: `expected ${show(rule)}, ${got}` }];
    case "pattern":
      return [{ message: `expected a text that matches ${String(rule)}, ${got}` }];
    case "false":
      return [{ message: "is not allowed here" }];
    case "anyOf":
    case "oneOf":
      return [{ message: unionWords(complaint, rule, { all, got }) }];
    default:
  }
  return [{ message: boundWords(complaint, said) }];
}

/** Keywords that bound a number, or how much there is of something. */
const bounds: Readonly<Record<string, [least: boolean, unit: string]>> = {
  minimum: [true, ""],
  maximum: [false, ""],
  minLength: [true, "character"],
  maxLength: [false, "character"],
  minItems: [true, "item"],
  maxItems: [false, "item"],
  minProperties: [true, "key"],
  maxProperties: [false, "key"],
  minContains: [true, "fitting item"],
  maxContains: [false, "fitting item"],
};

function boundWords({ keyword, error }: Complaint, { rule, beside, given }: Said): string {
  const bound = bounds[keyword];
  if (bound) {
    const [least, unit] = bound;
    // The exclusive bounds of draft 4 are a word beside it.
    const flag = least ? "exclusiveMinimum" : "exclusiveMaximum";
    const strict = isObject(beside) && beside[flag] === true && unit === "";
    const words = strict ? (least ? "more than" : "less than") : least ? "at least" : "at most";
    const what = unit === "" ? "" : ` ${unit}${rule === 1 ? "" : "s"}`;
    return `expected ${words} ${show(rule)}${what}, got ${sizeOf(given)}`;
  }
  const expected: Readonly<Record<string, string>> = {
    exclusiveMinimum: `more than ${show(rule)}`,
    exclusiveMaximum: `less than ${show(rule)}`,
    multipleOf: `a multiple of ${show(rule)}`,
    uniqueItems: "no item twice",
    contains: "an item that fits",
    not: "something else",
  };
  const words = expected[keyword];
  if (words !== undefined) return `expected ${words}, got ${show(given)}`;
  return error.charAt(0).toLowerCase() + error.slice(1).replace(/\.$/, "");
}

function sizeOf(value: Json | undefined): string {
  if (Array.isArray(value)) return String(value.length);
  return isObject(value) ? String(Object.keys(value).length) : show(value);
}

/** Walks a keyword's location through the schema, over references. */
function schemaAt(root: JsonObject, location: string): Json | undefined {
  let current: Json | undefined = root;
  const resolve = resolverOf(root);
  for (const token of location.split("/").slice(1)) {
    if (isObject(current) && token === "$ref" && typeof current.$ref === "string")
      current = resolve(current.$ref);
    else current = current === undefined ? undefined : atReference(current, `#/${token}`);
  }
  return current;
}

function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function showAll(values: Json | undefined): string {
  const list = Array.isArray(values) ? values : [];
  const shown = list.length === 0 ? ["an empty list"] : list.slice(0, 20).map(show);
  return [...shown, ...(list.length > shown.length ? ["…"] : [])].join(", ");
}

function show(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (isObject(value)) return "an object";
  return shorten(JSON.stringify(value), 60);
}
