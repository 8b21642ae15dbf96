/** A tool as one line, `echo(message: string, n?: integer)`, for lists and error messages. Pure. */
import { shorten } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { resolverOf } from "../base/pointer.ts";
import { propertiesOf, shapeOf } from "./shape.ts";

const argumentsMax = 12;
const constantsMax = 6;
const nestingMax = 2;

/**
 * Always one line. Required arguments first; long lists of arguments or constants end in `…`.
 * `name` may be empty: then there is only what stands in brackets.
 */
export function signatureOf(name: string, schema: JsonObject): string {
  const all = propertiesOf(schema);
  const shown = all
    .slice(0, argumentsMax)
    .map((one) => `${keyText(one.key)}${one.required ? "" : "?"}: ${typeText(one.schema, schema)}`);
  if (all.length > shown.length) shown.push("…");
  return `${name === "" ? "" : nameText(name)}(${shown.join(", ")})`;
}

/** The name of a tool as lists show it: letters, digits and a few signs of any script as they are, all else as a JSON string. */
export function nameText(name: string): string {
  return /^[\p{L}\p{M}\p{N}_$.:/@+-]+$/u.test(name) ? name : quoted(name);
}

/** The name of an argument: as it is, or as a JSON string. */
export function keyText(key: string): string {
  return /^[\w$.-]+$/.test(key) ? key : quoted(key);
}

/** The type of one argument in words: `string`, `integer[]`, `"a" | "b"`, `any`. */
export function typeText(schema: Json | undefined, root: JsonObject, depth = 0): string {
  const { types, constants } = shapeOf(schema, root);
  const words = [...types].map((type) =>
    type === "array" ? arrayText(schema, root, depth) : type,
  );
  words.push(...constants.slice(0, constantsMax).map((constant) => shorten(quoted(constant), 40)));
  if (constants.length > constantsMax) words.push("…");
  return words.length === 0 ? "any" : words.join(" | ");
}

// --- internal ---

function arrayText(schema: Json | undefined, root: JsonObject, depth: number): string {
  const own =
    isObject(schema) && typeof schema.$ref === "string" ? resolverOf(root)(schema.$ref) : schema;
  const items = isObject(own) ? own.items : undefined;
  if (!isObject(items) || depth >= nestingMax) return "array";
  const text = typeText(items, root, depth + 1);
  if (text === "any") return "array";
  return text.includes(" ") ? `(${text})[]` : `${text}[]`;
}

/** JSON that stays on its line and turns no text round: control and format characters are escaped. */
function quoted(value: Json): string {
  return JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) =>
    Array.from({ length: found.length }, (_, at) => escaped(found.charCodeAt(at))).join(""),
  );
}

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
