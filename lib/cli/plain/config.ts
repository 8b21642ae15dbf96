/**
 * A plain config file: one server under `mcpServers`, with a command, arguments and variables in which nothing is to be
 * filled in. Anything else, and whatever people are to be told of, is for others.
 */
import { isObject } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { PlainCommand } from "./line.ts";

/** The server of a file; undefined where it is no such file. */
export function plainServer(file: string): PlainCommand | undefined {
  try {
    const bytes = Bun.mmap(file);
    if (bytes.length > bytesMax) return undefined;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const value = JSON.parse(text) as Json;
    // A key that stands there twice is told of.
    return quotesIn(JSON.stringify(value)) === quotesIn(text) ? serverIn(value) : undefined;
  } catch {
    return undefined;
  }
}

// --- internal ---

const bytesMax = 65_536;

function quotesIn(text: string): number {
  return text.split('"').length;
}

function serverIn(value: Json): PlainCommand | undefined {
  const [, servers] = onlyMember(value, "mcpServers");
  const [name, entry] = onlyMember(servers);
  if (!isObject(entry) || !/^[\w-]+$/.test(name)) return undefined;
  const { command, args = [], env = {}, type = "stdio", ...others } = entry;
  for (const _ in others) return undefined;
  if (type !== "stdio" || !isProgram(command)) return undefined;
  if (!Array.isArray(args) || !args.every(isFinished)) return undefined;
  if (!isObject(env) || !Object.values(env).every(isFinished)) return undefined;
  return { name, command, args, env: env as Record<string, string> };
}

/** Of an object that has one alone. */
function onlyMember(value: Json | undefined, wanted?: string): [string, Json | undefined] {
  const keys = value !== undefined && isObject(value) ? Object.keys(value) : [];
  const [key = ""] = keys;
  const isIt = keys.length === 1 && (wanted === undefined || key === wanted);
  return isIt ? [key, (value as JsonObject)[key]] : ["", undefined];
}

/** A program by its name or its whole path; with a blank in it, it may be meant as a line of a shell. */
function isProgram(command: Json | undefined): command is string {
  if (!isFinished(command) || command === "" || command.includes(" ")) return false;
  return command.startsWith("/") || !command.includes("/");
}

/** A text in which nothing is filled in. */
function isFinished(text: Json | undefined): text is string {
  return (
    typeof text === "string" && !text.includes("$") && !text.includes("{") && !text.startsWith("~")
  );
}
