/**
 * Arguments that a tool wants in HTTP headers, too: what its schema marks by `x-mcp-header`, the rules for that, and the
 * headers of a call (protocol.md 1.5; https://modelcontextprotocol.io/specification/2026-07-28/server/tools). Pure; only
 * modern servers over HTTP want any.
 */
import { shorten } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { encodeHeaderValue } from "./headers.ts";

/** Makes the `Mcp-Param-*` headers of one call out of its arguments. */
export type ArgumentHeaders = (args: JsonObject) => Record<string, string>;

/**
 * The headers of calls of a tool: one for each argument whose schema has an `x-mcp-header`. An argument that is absent,
 * null, no scalar, or a number that a double cannot hold has none. Undefined for a schema that has no such argument, or
 * breaks the rules.
 */
export function argumentHeaders(inputSchema: JsonObject): ArgumentHeaders | undefined {
  const found = declarationsIn(inputSchema);
  if (typeof found === "string" || found.length === 0) return undefined;
  return (args) => {
    const entries: [string, string][] = [];
    for (const { path, header } of found) {
      const text = textOf(valueAt(args, path));
      if (text !== undefined) entries.push([`Mcp-Param-${header}`, encodeHeaderValue(text)]);
    }
    return Object.fromEntries(entries);
  };
}

/**
 * Why a tool with this schema must not be used over HTTP, in words that follow the tool's name: one of its `x-mcp-header`
 * breaks a rule. Undefined: all is well, or there are none.
 */
export function headerFault(inputSchema: JsonObject): string | undefined {
  const found = declarationsIn(inputSchema);
  return typeof found === "string" ? found : undefined;
}

// --- internal ---

interface Declaration {
  /** Keys from the root of the arguments. */
  path: readonly string[];
  header: string;
}

const keyword = "x-mcp-header";
/** RFC 9110, 5.6.2. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const scalars: ReadonlySet<Json | undefined> = new Set(["string", "integer", "boolean"]);

/** Below these a value is not at one known place of the arguments: nothing there may have a header. */
const inexact: readonly string[] = [
  "items",
  "prefixItems",
  "contains",
  "additionalProperties",
  "additionalItems",
  "unevaluatedProperties",
  "unevaluatedItems",
  "propertyNames",
  "contentSchema",
  "oneOf",
  "anyOf",
  "allOf",
  "not",
  "if",
  "then",
  "else",
];
/** The same, where the schemas lie under names. */
const inexactNamed: readonly string[] = [
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
];

/** The declarations of a schema, or what is wrong with the first one that breaks a rule. */
function declarationsIn(schema: JsonObject): Declaration[] | string {
  // Hardly any schema has one, and to see that takes no walk.
  if (!JSON.stringify(schema).includes(keyword)) return [];
  const found: Declaration[] = [];
  const fault = visit({ schema, path: [], exact: false }, found);
  return fault ?? found;
}

interface Place {
  schema: Json | undefined;
  path: readonly string[];
  /** Reached from the root by `properties` alone, and not the root itself. */
  exact: boolean;
}

/** Depth is bounded by whoever read the schema (tools.ts). */
function visit({ schema, path, exact }: Place, found: Declaration[]): string | undefined {
  if (!isObject(schema)) return undefined;
  if (Object.hasOwn(schema, keyword)) {
    const fault = faultOf(schema, exact, found);
    if (fault !== undefined) return `the ${keyword} at ${placeOf(path)} ${fault}`;
    found.push({ path, header: schema[keyword] as string });
  }
  const byName = (key: string) => Object.entries(isObject(schema[key]) ? schema[key] : {});
  const isWhole = exact || path.length === 0;
  const places: Place[] = [
    ...byName("properties").map(([name, child]): Place => ({
      schema: child,
      path: [...path, name],
      exact: isWhole,
    })),
    ...inexact.flatMap((key) =>
      [schema[key]]
        .flat()
        .map((child): Place => ({ schema: child, path: [...path, key], exact: false })),
    ),
    ...inexactNamed.flatMap((key) =>
      byName(key).map(([, child]): Place => ({
        schema: child,
        path: [...path, key],
        exact: false,
      })),
    ),
  ];
  for (const place of places) {
    const fault = visit(place, found);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultOf(schema: JsonObject, exact: boolean, found: Declaration[]): string | undefined {
  const { [keyword]: header, type } = schema;
  if (!exact) return "is not on a property that is reached by properties alone";
  if (typeof header !== "string" || header === "") return "is not a name";
  if (!token.test(header)) return `${clip(header)} is not a name of a header`;
  if (!scalars.has(type)) return "is not on a string, an integer or a boolean";
  const taken = found.some((one) => one.header.toLowerCase() === header.toLowerCase());
  return taken ? `${clip(header)} is there twice` : undefined;
}

function valueAt(args: JsonObject, path: readonly string[]): Json | undefined {
  let value: Json | undefined = args;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

function textOf(value: Json | undefined): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

function placeOf(path: readonly string[]): string {
  return path.length === 0 ? "the root" : clip(path.join("."));
}

function clip(text: string): string {
  return JSON.stringify(shorten(text, 100));
}
