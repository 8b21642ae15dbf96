/** One tool explained: its signature, what it says of itself, every argument, and a call that can be copied. Pure. */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { propertiesOf } from "../host/shape.ts";
import { keyText, nameText, signatureOf, typeText } from "../host/signature.ts";
import type { HostTool } from "../host/types.ts";
import { fold } from "./fit.ts";
import { sampleOf } from "./sample.ts";

/**
 * `again`: the flags and the `-- COMMAND` that name the server, to be written behind the example. All but that is made to
 * fit `width` columns.
 */
export function toolHelp(tool: HostTool, again: readonly string[], width: number): string {
  const { inputSchema, description, outputSchema } = tool;
  const title = tool.title ?? tool.annotations?.title;
  const parts = [
    signatureOf(tool.name, inputSchema) + (title === undefined ? "" : `\n\n${title}`),
    description?.trim() ?? "",
    argumentsText(inputSchema),
    outputSchema === undefined ? "" : `Returns: ${signatureOf("", outputSchema)}`,
    hintsText(tool),
    tool.name === tool.tool
      ? `Server: ${tool.server}`
      : `Server: ${tool.server} (its own name: ${nameText(tool.tool)})`,
  ];
  const words = parts.filter((part) => part !== "").join("\n\n");
  return `${fold(words, width)}\n\nExample:\n  ${exampleCall(tool, again)}\n`;
}

/** A word as a POSIX shell would give it back. */
export function shellQuote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// --- internal ---

/** A command line that calls the tool with every required argument. */
function exampleCall({ name, inputSchema }: HostTool, again: readonly string[]): string {
  const words = propertiesOf(firstOf(inputSchema))
    .filter((property) => property.required)
    .map(({ key, schema }) => wordOf(key, schema, inputSchema));
  return ["mcphost", "call", ...[name, ...words, ...again].map(shellQuote)].join(" ");
}

/** A schema with the first of its alternatives alone. */
function firstOf(schema: JsonObject): JsonObject {
  const { anyOf, oneOf, ...rest } = schema;
  const firsts = [anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list.slice(0, 1) : []));
  if (firsts.length === 0) return schema;
  return { ...rest, allOf: [...(Array.isArray(rest.allOf) ? rest.allOf : []), ...firsts] };
}

function argumentsText(schema: JsonObject): string {
  const properties = propertiesOf(schema);
  if (properties.length === 0) return "";
  const rows = properties.map(({ key, required, schema: property }) => ({
    head: `${keyText(key)}: ${typeText(property, schema)}${required ? "" : defaultOf(property)}`,
    words:
      isObject(property) && typeof property.description === "string" ? property.description : "",
    required,
  }));
  const lines = rows.map(({ head, words, required }) => {
    const text = words.trim().replaceAll(/\s*\n\s*/g, " ");
    return `  ${head}${required ? "  (required)" : ""}${text === "" ? "" : `\n      ${text}`}`;
  });
  return `Arguments:\n${lines.join("\n")}`;
}

function defaultOf(schema: Json): string {
  if (!isObject(schema) || schema.default === undefined) return "";
  return ` = ${JSON.stringify(schema.default)}`;
}

const hints: Readonly<Record<string, [yes: string, no: string]>> = {
  readOnlyHint: ["reads only", ""],
  destructiveHint: ["may destroy", "destroys nothing"],
  idempotentHint: ["safe to repeat", ""],
  openWorldHint: ["reaches outside", "reaches nothing outside"],
};

function hintsText({ annotations = {}, execution = {} }: HostTool): string {
  const given: Record<string, unknown> = { ...annotations };
  const words = Object.entries(hints).flatMap(([key, [yes, no]]) => {
    const word = given[key] === true ? yes : given[key] === false ? no : "";
    return word === "" ? [] : [word];
  });
  const task = { required: "runs as a task", optional: "can run as a task (--detach)" };
  const { taskSupport } = execution;
  if (taskSupport === "required" || taskSupport === "optional") words.push(task[taskSupport]);
  return words.length === 0 ? "" : `The server says: ${words.join(", ")}`;
}

function wordOf(key: string, schema: Json, root: JsonObject): string {
  const value = sampleOf(schema, root);
  if (/[=:]/.test(key)) return JSON.stringify({ [key]: value });
  return typeof value === "string"
    ? `${key}=${value.startsWith("@") ? "@" : ""}${value}`
    : `${key}=${JSON.stringify(value)}`;
}
