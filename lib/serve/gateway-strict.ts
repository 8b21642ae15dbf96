/**
 * Entries of lists as strict clients take them: these throw a whole list away, of all servers, for one member of the wrong
 * type in one entry, and for null, which is "none" in many languages. What is in order stays as it came, and so does what
 * nobody knows. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Era } from "../protocol/mcp.ts";

/** An entry of any list. */
export function strictEntry(raw: JsonObject): JsonObject {
  return mended(raw, entryKinds);
}

/** A schema whose root is an object's; legacy clients also look at what hangs there. */
export function strictSchema(schema: JsonObject, era: Era): JsonObject {
  const right = era === "legacy" ? mended(schema, schemaKinds) : schema;
  return right.type === "object" ? right : { ...right, type: "object" };
}

/** A value as it may stand: itself where it is right, undefined where it has to go. */
export type Kind = (value: Json) => Json | undefined;
export type Kinds = Readonly<Record<string, Kind>>;

/** An object whose members are of these kinds, or not there; itself where they are. */
export function mended(value: JsonObject, kinds: Kinds): JsonObject {
  let copy: JsonObject | undefined;
  for (const key in kinds) {
    const given = value[key];
    if (given === undefined) continue;
    const right = kinds[key]?.(given);
    if (right === given) continue;
    copy ??= { ...value };
    if (right === undefined) delete copy[key];
    else copy[key] = right;
  }
  return copy ?? value;
}

// --- internal ---

const text: Kind = (value) => (typeof value === "string" ? value : undefined);
const number: Kind = (value) =>
  typeof value === "number" || JSON.isRawJSON(value) ? value : undefined;
const flag: Kind = (value) => (typeof value === "boolean" ? value : undefined);
const share: Kind = (value) =>
  typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
const role: Kind = (value) => (value === "user" || value === "assistant" ? value : undefined);
const time: Kind = (value) =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)$/.test(value)
    ? value
    : undefined;

const object =
  (kinds: Kinds = {}, needed?: string): Kind =>
  (value) => {
    if (!isObject(value)) return undefined;
    const right = mended(value, kinds);
    return needed === undefined || right[needed] !== undefined ? right : undefined;
  };

const list =
  (kind: Kind): Kind =>
  (value) => {
    if (!Array.isArray(value)) return undefined;
    const right = value.map(kind);
    if (right.every((one, at) => one === value[at])) return value;
    return right.filter((one) => one !== undefined);
  };

export const textOf = text;
export const objectOf: Kind = object();
export const annotationsOf: Kind = object({
  audience: list(role),
  priority: share,
  lastModified: time,
});

/** Of what links to a resource, and of entries of all lists. */
export const linkKinds: Kinds = {
  title: text,
  description: text,
  mimeType: text,
  size: number,
  icons: list(object({ src: text, mimeType: text, sizes: list(text), theme: text }, "src")),
  annotations: annotationsOf,
  _meta: objectOf,
};

const entryKinds: Kinds = {
  ...linkKinds,
  arguments: list(object({ name: text, title: text, description: text, required: flag }, "name")),
};

/** `true` and `false` are schemas, and the clients of 1.x want objects: these mean the same. What is none says nothing. */
function propertyOf(schema: Json | undefined): Json {
  if (schema === false) return { not: {} };
  return isObject(schema) ? schema : {};
}

const schemaKinds: Kinds = {
  properties(value) {
    if (!isObject(value)) return undefined;
    const entries = Object.entries(value);
    if (entries.every(([, schema]) => isObject(schema))) return value;
    return Object.fromEntries(entries.map(([key, schema]) => [key, propertyOf(schema)]));
  },
  required: list(text),
};
