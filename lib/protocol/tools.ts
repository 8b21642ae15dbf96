/**
 * Reads the result of tools/list into tools and warnings. One odd tool never costs the others: what can be kept is kept
 * as it is with a warning, and nothing is dropped silently (protocol.md 1.13). Pure; it resolves no reference and
 * compiles no schema.
 */
import { shorten } from "../base/clip.ts";
import { isDeeper, isObject, keepDigits, withDigits } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Tool, ToolAnnotations } from "./mcp.ts";
import { entriesOf } from "./meta.ts";

export interface ReadToolsOptions {
  /** The names of earlier pages; those of this page are added. @default none */
  seen?: Set<string>;
  /** The longest schema that is kept, in UTF-16 units of its JSON. @default 1048576 */
  schemaBytesMax?: number;
}

export interface ToolsPage {
  tools: Tool[];
  /** In words for a person, each naming the tool and the reason, without the server's name. */
  warnings: string[];
}

/** Reads one page; its cursor is not looked at. `null` anywhere means absent. */
export function readTools(result: Json, options: ReadToolsOptions = {}): ToolsPage {
  const { seen = new Set<string>(), schemaBytesMax = 1_048_576 } = options;
  const page = isObject(result) ? result : {};
  const warnings: string[] = [];
  const tools: Tool[] = [];
  let count = 0;
  for (const entry of entriesOf(page.tools, "tool", warnings)) {
    count += 1;
    // What is no object has no name either. `isObject`, asked of each, would be compiled in the midst of a first call.
    const raw = entry as JsonObject | null;
    const name = raw?.name;
    if (raw === null || typeof name !== "string") {
      const what = isObject(entry) ? "has no name" : "is not an object";
      warnings.push(`entry ${count} of the list ${what}: left out`);
    } else if (seen.has(name)) {
      warnings.push(`tool ${clip(name)} is listed twice: the first one is used`);
    } else {
      seen.add(name);
      const warn = (text: string) => warnings.push(`tool ${clip(name)}: ${text}`);
      tools.push(readTool(raw, name, { schemaBytesMax, warn }));
    }
  }
  return { tools, warnings };
}

// --- internal ---

interface Context {
  schemaBytesMax: number;
  warn: (text: string) => void;
}

function readTool(raw: JsonObject, name: string, context: Context): Tool {
  const title = readText(raw, "title", context);
  const description = readText(raw, "description", context);
  const outputSchema = readOutputSchema(raw.outputSchema, context);
  const annotations = readAnnotations(raw.annotations);
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: readInputSchema(raw.inputSchema, context),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    raw,
  };
}

function readText(raw: JsonObject, key: string, { warn }: Context): string | undefined {
  const value = raw[key] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  warn(`its ${key} is not a string: left out`);
  return undefined;
}

/**
 * Only hints that are booleans count; an odd one is as good as none, which is the cautious reading. What nobody knows is
 * kept as it came.
 */
function readAnnotations(value: Json | undefined): ToolAnnotations | undefined {
  if (value === undefined || !isObject(value)) return undefined;
  const annotations: JsonObject = {};
  for (const key in value) {
    const given = key === "__proto__" ? undefined : value[key];
    const type = key === "title" ? "string" : hints.includes(key) ? "boolean" : typeof given;
    if (given !== undefined && typeof given === type) annotations[key] = given;
  }
  const whole = withDigits(value);
  if (whole !== value) keepDigits(annotations, readAnnotations(whole) as JsonObject);
  return annotations;
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

function readInputSchema(value: Json | undefined, context: Context): JsonObject {
  const { warn } = context;
  if (value === undefined || value === null) {
    warn("it has no inputSchema: taken as a tool without arguments");
    return {};
  }
  if (!isObject(value)) {
    warn("its inputSchema is not an object: arguments are not checked");
    return {};
  }
  if (!fits(value, "inputSchema", context)) return {};
  if (Object.keys(value).length === 0) warn("its inputSchema is empty: taken as without arguments");
  else {
    const fault = rootFault(value);
    if (fault !== undefined) warn(`its inputSchema ${fault}: kept as it is`);
  }
  return value;
}

function readOutputSchema(value: Json | undefined, context: Context): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) {
    context.warn("its outputSchema is not an object: left out");
    return undefined;
  }
  return fits(value, "outputSchema", context) ? value : undefined;
}

/** Bounds a schema. The depth comes first: `JSON.stringify` takes seconds to find out that it cannot. */
function fits(schema: JsonObject, what: string, { schemaBytesMax, warn }: Context): boolean {
  const deep = isDeeper(schema, schemaDepthMax);
  if (!deep && JSON.stringify(schema).length <= schemaBytesMax) return true;
  const fault = deep ? "nested too deeply" : `longer than ${schemaBytesMax} bytes`;
  warn(`its ${what} is ${fault}: left out, nothing is checked by it`);
  return false;
}

const schemaDepthMax = 1000;

/** The most telling fault of an input schema, by a look at its root and its properties alone. */
function rootFault(schema: JsonObject): string | undefined {
  if (schema.type === undefined) return 'has no "type": "object"';
  if (schema.type !== "object") return `has type ${clip(schema.type)}, not "object"`;
  // What some serializers write for nothing is nothing.
  const required = schema.required ?? undefined;
  const properties = schema.properties ?? undefined;
  if (required !== undefined && !isStringArray(required))
    return 'has a "required" that is not a list of names';
  if (properties === undefined || (Array.isArray(properties) && properties.length === 0))
    return undefined;
  if (!isObject(properties)) return 'has "properties" that are not an object';
  for (const key of Object.keys(properties)) {
    const fault = propertyFault(properties[key]);
    if (fault !== undefined) return `has a property ${clip(key)} that ${fault}`;
  }
  return undefined;
}

function propertyFault(property: Json | undefined): string | undefined {
  const { type, enum: values } = (property ?? {}) as JsonObject;
  // One of a type is no other thing than a schema, and most are of one.
  if (type === undefined && typeof property !== "boolean" && !isObject(property))
    return "is not a schema";
  if (type !== undefined && !isKnownType(type)) return `has the unknown type ${clip(type)}`;
  if (values !== undefined && !Array.isArray(values)) return "has an enum that is not a list";
  return undefined;
}

// Loops, not callbacks: what those are made of is compiled first, and this is on the way of every first call.

function isKnownType(type: Json): boolean {
  if (!Array.isArray(type)) return isTypeName(type);
  for (const one of type) if (!isTypeName(one)) return false;
  return true;
}

function isTypeName(type: Json): boolean {
  switch (type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "object":
    case "array":
    case "null":
      return true;
    default:
      return false;
  }
}

function isStringArray(value: Json): boolean {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (typeof item !== "string") return false;
  return true;
}

/** JSON for a person, clipped. Only called on what `fits` or on strings, so that it cannot overflow the stack. */
function clip(value: Json): string {
  return shorten(JSON.stringify(value), 100);
}
