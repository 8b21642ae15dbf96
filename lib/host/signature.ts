/** A tool as one line, `echo(message: string, n?: integer)`, for lists and error messages. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { atReference } from "../base/pointer.ts";
import { propertiesOf, shapeOf } from "./shape.ts";

const argumentsMax = 12;
const constantsMax = 6;
const nestingMax = 2;

/** Required arguments first; long lists of arguments or constants end in `…`. */
export function signatureOf(name: string, schema: JsonObject): string {
  const all = propertiesOf(schema);
  const shown = all
    .slice(0, argumentsMax)
    .map((one) => `${keyText(one.key)}${one.required ? "" : "?"}: ${typeText(one.schema, schema)}`);
  if (all.length > shown.length) shown.push("…");
  return `${name}(${shown.join(", ")})`;
}

/** The type of one argument in words: `string`, `integer[]`, `"a" | "b"`, `any`. */
export function typeText(schema: Json | undefined, root: JsonObject, depth = 0): string {
  const { types, constants } = shapeOf(schema, root);
  const words = [...types].map((type) =>
    type === "array" ? arrayText(schema, root, depth) : type,
  );
  words.push(...constants.slice(0, constantsMax).map((constant) => clip(JSON.stringify(constant))));
  if (constants.length > constantsMax) words.push("…");
  return words.length === 0 ? "any" : words.join(" | ");
}

// --- internal ---

function arrayText(schema: Json | undefined, root: JsonObject, depth: number): string {
  const own =
    isObject(schema) && typeof schema.$ref === "string" ? atReference(root, schema.$ref) : schema;
  const items = isObject(own) ? own.items : undefined;
  if (!isObject(items) || depth >= nestingMax) return "array";
  const text = typeText(items, root, depth + 1);
  if (text === "any") return "array";
  return text.includes(" ") ? `(${text})[]` : `${text}[]`;
}

function keyText(key: string): string {
  return /^[\w$.-]+$/.test(key) ? key : JSON.stringify(key);
}

function clip(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
