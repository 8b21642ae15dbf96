/** What is plain enough in what a server and a person say. Pure. */
import { isObject, parseJson } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { surelyFits } from "../../base/schema-plain.ts";
import { compact, memberOf } from "../../base/slice.ts";
import type { ArgumentPart } from "../../host/arguments.ts";
import type { ErrorObject } from "../../protocol/jsonrpc.ts";
import type { Tool } from "../../protocol/mcp.ts";
import { renderResult } from "../render.ts";

type KeyedPart = Exclude<ArgumentPart, { kind: "object" }>;

/** One of `result` and `error` is there. */
export interface PlainAnswer {
  id: Json | undefined;
  result?: Json;
  error?: ErrorObject;
}

/** The answer in a line; undefined where it is anything else, or anything about it is odd. */
export function answerIn(line: string): PlainAnswer | undefined {
  const value = valueOf(line);
  // A list is no answer either: it has no such members.
  if (typeof value !== "object" || value === null || "method" in value) return undefined;
  const { jsonrpc, id, result, error } = value as JsonObject;
  if (jsonrpc !== "2.0") return undefined;
  if (error === undefined) return result === undefined ? undefined : { id, result };
  if (result !== undefined || !isObject(error) || typeof error.code !== "number") return undefined;
  return { id, error: error as unknown as ErrorObject };
}

/** The arguments, where they surely fit the tool, and nothing is to be said of them or of it. */
export function fitting(parts: readonly ArgumentPart[], tool: Tool): JsonObject | undefined {
  const { inputSchema, raw } = tool;
  // It may want to be called as a task.
  if (raw.execution !== undefined) return undefined;
  const args = argumentsOf(parts, inputSchema);
  const isPlain =
    args !== undefined && surelyFits(inputSchema, args) && areNamed(args, inputSchema);
  return isPlain ? args : undefined;
}

/** The result in a line, as it came. */
export function rawOf(line: string): string | undefined {
  const raw = memberOf(line, "result");
  return raw === undefined ? undefined : `${compact(raw)}\n`;
}

/** The text of the result in a line; undefined where it is not text alone. */
export function textOf(result: JsonObject, line: string): string | undefined {
  const answer = {
    result,
    get raw() {
      return memberOf(line, "result") ?? "";
    },
  };
  const { text, binaries, notes } = renderResult(answer);
  return text === "" || binaries.length + notes.length > 0 ? undefined : text;
}

// --- internal ---

/** What a host makes of them, where that is clear without a look at the whole schema. */
function argumentsOf(parts: readonly ArgumentPart[], schema: JsonObject): JsonObject | undefined {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const args: JsonObject = {};
  for (const part of parts) {
    const given = part.kind === "object" ? part.value : { [part.key]: valueIn(part, properties) };
    for (const key in given) {
      const value = given[key];
      if (value === undefined || key === "__proto__") return undefined;
      args[key] = value;
    }
  }
  return args;
}

/** A text is what it looks like where the schema names one simple type; whether it is of that, the schema says later. */
function valueIn(part: KeyedPart, properties: JsonObject): Json | undefined {
  if (part.kind === "json") return part.value;
  const { key, text } = part;
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  // Text that looks like JSON of these may be meant so.
  if (!isObject(property) || text.startsWith("{") || text.startsWith("[")) return undefined;
  switch (property.type) {
    case "string":
      return text;
    case "boolean":
    case "integer":
    case "number":
      return jsonIn(text);
    default:
      return undefined;
  }
}

function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An argument of another name may be a slip of the hand. */
function areNamed(args: JsonObject, { properties = {} }: JsonObject): boolean {
  for (const key in args) if (!Object.hasOwn(properties as JsonObject, key)) return false;
  return true;
}

/** Rounded numbers do no harm: a schema that is about them is left to the host, and texts are printed as they came. */
function valueOf(line: string): Json | undefined {
  try {
    return JSON.parse(line) as Json;
  } catch {
    return undefined;
  }
}
