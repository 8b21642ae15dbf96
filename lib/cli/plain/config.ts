/**
 * Servers of a plain config file: each has a command, arguments and variables in which nothing is to be filled in. Anything
 * else, and whatever people are to be told of, is for others.
 */
import { isObject } from "../../base/json.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { mayFindConfig, resolvePath, userConfigNow } from "../../config/paths.ts";
import type { Io, ReadConfig } from "../types.ts";
import { mayHaveSay, serversAlone, smallText } from "./document.ts";
import type { PlainCommand, PlainLine } from "./line.ts";

/** Which server is meant, and which of its tools. */
export interface Meant {
  server: PlainCommand;
  /** Its own name. */
  tool: string;
  /** There are other servers: tools whose names are changed to be shown may be meant by it, too. */
  isExposed: boolean;
}

/** Which server a line means by the config that it names, or by the user's own; undefined where that is not plain. */
export async function meantIn(
  { server, tool }: PlainLine,
  env: Io["env"],
): Promise<{ meant: Meant; config: ReadConfig } | undefined> {
  const path = "file" in server ? configOf(server.file, env) : undefined;
  const own = userConfigNow(env);
  if (path === undefined || (own !== undefined && (await mayHaveSay(own)))) return undefined;
  const text = await smallText(path);
  if (text === undefined) return undefined;
  const meant = meantBy(text, tool);
  return meant && { meant, config: { path, text } };
}

/** What the name of a tool means by the text of a file; undefined where that is no such file, or it may mean several servers. */
export function meantBy(text: string, tool: string): Meant | undefined {
  const written = serversAlone(text);
  const servers = written && serversIn(written);
  return servers && meantOf(servers, tool);
}

// --- internal ---

/** The whole path of the file that is named, else of the user's own where there is no other. What is no JSON is for others. */
function configOf(file: string | undefined, env: Io["env"]): string | undefined {
  try {
    const cwd = process.cwd();
    if (file !== undefined)
      return /\.(?:toml|ya?ml)$/i.test(file) ? undefined : resolvePath(cwd, file);
    return env["MCPHOST_CONFIG"] || mayFindConfig(cwd) ? undefined : userConfigNow(env);
  } catch {
    return undefined;
  }
}

function meantOf(servers: readonly PlainCommand[], tool: string): Meant | undefined {
  const named = servers.filter(({ name }) => tool.startsWith(name));
  const [only] = servers;
  if (only !== undefined && servers.length === 1)
    return named.length === 0 ? { server: only, tool, isExposed: false } : undefined;
  const [server] = named;
  if (server === undefined || named.length > 1 || !/^[\w-]{1,64}$/.test(tool)) return undefined;
  const own = tool.slice(server.name.length + 1);
  const isNamed = tool[server.name.length] === "_" && own !== "";
  return isNamed ? { server, tool: own, isExposed: true } : undefined;
}

/** All of them, or none where one is not plain. */
function serversIn(written: JsonObject): PlainCommand[] | undefined {
  const servers: PlainCommand[] = [];
  for (const name in written) {
    const server = serverIn(name, written[name]);
    if (server === undefined) return undefined;
    servers.push(server);
  }
  return servers;
}

function serverIn(name: string, entry: Json | undefined): PlainCommand | undefined {
  if (entry === undefined || !isObject(entry) || !/^[\w-]+$/.test(name)) return undefined;
  const { command, args = [], env = {}, type = "stdio", ...others } = entry;
  for (const _ in others) return undefined;
  if (type !== "stdio" || !isProgram(command)) return undefined;
  if (!Array.isArray(args) || !args.every(isFinished)) return undefined;
  if (!isObject(env) || !Object.values(env).every(isFinished)) return undefined;
  return { name, command, args, env: env as Record<string, string> };
}

/** A program by its name or its whole path; with a blank in it, it may be meant as a line of a shell. */
function isProgram(command: Json | undefined): command is string {
  if (!isFinished(command) || command === "" || command.includes(" ")) return false;
  return command.startsWith("/") || !command.includes("/");
}

/** A text in which nothing is filled in, and nothing is told of as if it were. */
function isFinished(text: Json | undefined): text is string {
  return (
    typeof text === "string" &&
    !text.includes("$") &&
    !text.includes("{") &&
    !text.startsWith("~") &&
    !text.startsWith("%")
  );
}
