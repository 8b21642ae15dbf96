/**
 * Arguments from a command line, made to fit a tool's schema. Pure. The rule for `key=text`: where a string is allowed, or
 * the schema names no type, the text stays exactly as typed (but a text that begins with `{` or `[` and is JSON of an
 * object or array that is allowed too is taken as that); else it is JSON of an allowed type.
 */
import { HostError } from "../base/errors.ts";
import { isObject, parseJson, withoutMark } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isUnknown, propertyShape } from "./shape.ts";
import type { Shape } from "./shape.ts";
import { signatureOf } from "./signature.ts";

/** One piece of a command line, in the order given. `json` and `object` are taken as they are. */
export type ArgumentPart =
  | { kind: "text"; key: string; text: string }
  | { kind: "json"; key: string; value: Json }
  | { kind: "object"; value: JsonObject };

/**
 * One object of all parts, the later winning over the earlier. Whole numbers keep every digit.
 * @param name the tool's name, for errors
 * @throws HostError `usage`: the argument, what was expected, what was given
 */
export function fitArguments(
  parts: readonly ArgumentPart[],
  schema: JsonObject,
  name?: string,
): JsonObject {
  const args: JsonObject = {};
  for (const part of parts) {
    if (part.kind === "object")
      for (const key of Object.keys(part.value)) put(args, key, part.value[key]);
    else if (part.kind === "json") put(args, part.key, part.value);
    else put(args, part.key, fitText(part.key, part.text, schema, name));
  }
  return args;
}

// --- internal ---

/** `__proto__` is a key like any other. */
function put(args: JsonObject, key: string, value: Json | undefined): void {
  if (key !== "__proto__") args[key] = value;
  else
    Object.defineProperty(args, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
}

function fitText(key: string, text: string, schema: JsonObject, name: string | undefined): Json {
  const isPlain = isPlainText(schema, key) && !text.startsWith("{") && !text.startsWith("[");
  if (isPlain) return text;
  const shape = propertyShape(schema, key);
  if (shape.constants.includes(text)) return text;
  const isAny = isUnknown(shape);
  const isText = isAny || shape.types.has("string");
  if (isText && !text.startsWith("{") && !text.startsWith("[")) return text;
  const value = readJson(text);
  if (isText) return value !== undefined && (isAny || allows(shape, value)) ? value : text;
  if (value !== undefined && (allows(shape, value) || isConstant(shape, value))) return value;
  const wrong = `argument ${key}: expected ${describe(shape)}, got ${quote(text)}`;
  throw new HostError("usage", name === undefined ? wrong : `${name}: ${wrong}`, {
    facts: { argument: key },
    ...(name !== undefined && { hint: signatureOf(name, schema) + asJson(key, text, shape) }),
  });
}

/** How a shell is given an array or an object, where that is most likely what is wrong; else empty. */
function asJson(key: string, text: string, { types }: Shape): string {
  if (/^\s*[[{]/.test(text) && !text.includes('"') && readJson(text) === undefined)
    return "; keys and texts in JSON have double quotes, which a shell leaves alone in '…'";
  if (!types.has("array") || !/^[^'"\n]{1,100}$/.test(text)) return "";
  const items = text.split(",").map((item) => readJson(item) ?? item.trim());
  return `; an array is JSON: ${key}='${JSON.stringify(items)}'`;
}

/** A member of its own; undefined where there is none. */
function ownOf(value: Json | undefined, key: string): Json | undefined {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as JsonObject)[key];
}

/** It surely may be any text: what most arguments are, found without a look at the whole schema. */
function isPlainText({ properties }: JsonObject, key: string): boolean {
  const schema = ownOf(properties, key);
  if (ownOf(schema, "type") !== "string") return false;
  return ownOf(schema, "enum") === undefined && ownOf(schema, "const") === undefined;
}

/** Undefined for what is no JSON, and for a number that is none (`1e999`). */
function readJson(text: string): Json | undefined {
  try {
    const value = parseJson(withoutMark(text));
    return JSON.isRawJSON(value) && !Number.isFinite(Number(numberText(value))) ? undefined : value;
  } catch {
    return undefined;
  }
}

function allows({ types }: Shape, value: Json): boolean {
  if (value === null) return types.has("null");
  if (Array.isArray(value)) return types.has("array");
  if (isObject(value)) return types.has("object");
  if (typeof value === "boolean") return types.has("boolean");
  if (typeof value === "string") return false;
  // A number, or one that is kept by its digits (`JSON.rawJSON`).
  return (
    types.has("number") || (types.has("integer") && Number.isInteger(Number(numberText(value))))
  );
}

function isConstant({ constants }: Shape, value: Json): boolean {
  const text = JSON.stringify(value);
  return (
    typeof value !== "string" && constants.some((constant) => JSON.stringify(constant) === text)
  );
}

function numberText(value: Json): string {
  return JSON.stringify(value);
}

function describe({ types, constants }: Shape): string {
  const shown = constants.slice(0, 20).map((constant) => JSON.stringify(constant));
  const more = constants.length > shown.length ? ["…"] : [];
  const words = [...types].map((type) =>
    type === "array" || type === "object" ? `${type} (as JSON)` : type,
  );
  return [...words, ...shown, ...more].join(" or ");
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
