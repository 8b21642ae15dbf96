/** Tools and their arguments as words to complete, read from the tools as last listed. Pure. */
import type { Json } from "../base/json.ts";
import { isObject } from "../base/json.ts";
import { propertiesOf, propertyShape } from "../host/shape.ts";
import type { Candidate, Completion } from "./completion-types.ts";
import { argumentWords, described } from "./completion-types.ts";
import type { RecalledTool } from "./tool-cache.ts";

/**
 * The names as they are shown. Where none of them begins so: the bare ones that one server alone has, and `SERVER.TOOL`
 * (or `SERVER/TOOL`, where that was begun).
 */
export function toolNames(current: string, tools: readonly RecalledTool[]): Candidate[] {
  const named = (words: (tool: RecalledTool) => string[]) =>
    tools.flatMap((tool) => words(tool).map((word) => described({ word }, tool.description)));
  const shown = named(({ name }) => [name]);
  if (shown.some(({ word }) => word.startsWith(current))) return shown;
  const sign = current.includes("/") ? "/" : ".";
  const isOnly = ({ tool }: RecalledTool) =>
    tools.filter((other) => other.tool === tool).length === 1;
  return named((tool) => [
    ...(isOnly(tool) ? [tool.tool] : []),
    ...(tool.server === undefined ? [] : [`${tool.server}${sign}${tool.tool}`]),
  ]);
}

/** `key=` for what is not given yet, required first; `key=value` where the schema names values; files behind `@`. */
export function argumentsOf(
  current: string,
  [name, ...given]: readonly string[],
  tools: readonly RecalledTool[],
): Completion {
  const isNamed = ({ server, tool }: RecalledTool) =>
    [`${server}.${tool}`, `${server}/${tool}`].includes(name ?? "");
  const tool =
    tools.find((one) => one.name === name) ??
    tools.find(isNamed) ??
    tools.find((one) => one.tool === name);
  if (tool === undefined) return [];
  const [, key, sign] = /^(.+?)(:?=)/s.exec(current) ?? [];
  if (key !== undefined && sign !== undefined) {
    if (current.startsWith("@", key.length + sign.length)) return { filesBehind: `${key}${sign}@` };
    const text = sign === "=" ? plain : JSON.stringify;
    return valuesOf(tool, key).map((value) => ({ word: key + sign + text(value) }));
  }
  const used = new Set(given.map((word) => /^(.+?):?=/s.exec(word)?.[1]));
  return propertiesOf(tool.inputSchema)
    .filter((property) => !used.has(property.key))
    .map((property) => {
      const text = isObject(property.schema) ? property.schema["description"] : undefined;
      const words = argumentWords(property.required, typeof text === "string" ? text : "");
      return described({ word: `${property.key}=` }, words);
    });
}

// --- internal ---

/** The values that the schema names itself. */
function valuesOf({ inputSchema }: RecalledTool, key: string): Json[] {
  const { constants, types } = propertyShape(inputSchema, key);
  return [...new Set([...constants, ...(types.has("boolean") ? [true, false] : [])])];
}

/** As `key=` takes it: JSON but for texts; one that begins with `@` would name a file. */
function plain(value: Json): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return value.startsWith("@") ? `@${value}` : value;
}
