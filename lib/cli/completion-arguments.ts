/** The arguments of a tool as words to complete, read from its schema as last listed. Pure. */
import type { Json, JsonObject } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import type { Completion } from "./completion-types.ts";
import { described } from "./completion-types.ts";
import type { RecalledTool } from "./tool-cache.ts";

/** `key=` for what is not given yet, required first; `key=value` where the schema names values; files behind `@`. */
export function argumentsOf(
  current: string,
  [name, ...given]: readonly string[],
  tools: readonly RecalledTool[],
): Completion {
  const tool = tools.find((one) => one.name === name) ?? tools.find((one) => one.tool === name);
  const properties = tool?.inputSchema["properties"];
  if (!isObject(properties)) return [];
  const [, key, sign] = /^(.+?)(:?=)/s.exec(current) ?? [];
  if (key !== undefined && sign !== undefined) {
    if (current.startsWith("@", key.length + sign.length)) return "files";
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const json = sign === ":=";
    return valuesOf(property).map((value) => ({
      word: key + sign + (json || typeof value !== "string" ? JSON.stringify(value) : plain(value)),
    }));
  }
  const used = new Set(given.map((word) => /^(.+?):?=/s.exec(word)?.[1]));
  const required = tool?.inputSchema["required"];
  const isRequired = (one: string) => Array.isArray(required) && required.includes(one);
  return Object.entries(properties)
    .filter(([one]) => !used.has(one))
    .sort(([a], [b]) => Number(isRequired(b)) - Number(isRequired(a)))
    .map(([one, property]) => {
      const text = isObject(property) ? property["description"] : undefined;
      const description = typeof text === "string" ? text : "";
      return described(
        { word: `${one}=` },
        isRequired(one) ? `(required) ${description}` : description,
      );
    });
}

// --- internal ---

/** The values that a schema names itself: enums, constants, booleans, also those of alternatives. */
function valuesOf(schema: Json | undefined, depth = 0): Json[] {
  if (!isObject(schema) || depth > 4) return [];
  const own: Json[] = Array.isArray(schema["enum"]) ? schema["enum"] : [];
  const constant = schema["const"] === undefined ? [] : [schema["const"]];
  const booleans = schema["type"] === "boolean" ? [true, false] : [];
  const alternatives = alternativesOf(schema).flatMap((one) => valuesOf(one, depth + 1));
  return [...new Set([...own, ...constant, ...booleans, ...alternatives])];
}

function alternativesOf(schema: JsonObject): Json[] {
  return [schema["anyOf"], schema["oneOf"]].filter((list) => Array.isArray(list)).flat();
}

/** A text as `key=` takes it: one that begins with `@` would name a file. */
function plain(text: string): string {
  return text.startsWith("@") ? `@${text}` : text;
}
