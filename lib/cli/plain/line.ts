/**
 * The line of a plain call: `call TOOL [ARG…]` with one server, `-- COMMAND…` or `-s URL`, with `-c FILE`, or with none of
 * these; no other flag but `--json` and `--quiet`, and its arguments complete as they stand. Pure. Any other line, a wrong one
 * too, is for others.
 */
import { isObject, parseJson, withoutMark } from "../../base/json.ts";
import type { ArgumentPart } from "../../host/arguments.ts";

export interface PlainLine {
  tool: string;
  /** Another name of it was given, which tools of the same server may have as well. @default false */
  isExposed?: boolean;
  parts: ArgumentPart[];
  /** The result is printed as it came. */
  json: boolean;
  server: PlainCommand | PlainUrl | PlainFile;
}

export interface PlainCommand {
  name: string;
  command: string;
  args: string[];
  /** Its own variables. */
  env?: Record<string, string>;
}

export interface PlainUrl {
  url: string;
}

/** A config file. */
export interface PlainFile {
  /** Undefined where none is named: the user's own. */
  file: string | undefined;
}

/** Undefined where it is no such line. */
export function plainLine(argv: readonly string[]): PlainLine | undefined {
  if (argv[0] !== "call" || mayBeNoText(argv)) return undefined;
  const words: string[] = [];
  let server: PlainLine["server"] | undefined;
  let json = false;
  for (let at = 1; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    if (word === "--") {
      if (server !== undefined) return undefined;
      server = commandIn(argv.slice(at + 1));
      break;
    }
    if (word === "-s" && server === undefined) server = urlIn(argv[(at += 1)] ?? "");
    else if (word === "-c" && server === undefined) server = fileIn(argv[(at += 1)] ?? "");
    else if (word === "--json") json = true;
    else if (word === "-q" || word === "--quiet") continue;
    else if (word.startsWith("-")) return undefined;
    else words.push(word);
  }
  const [tool] = words;
  if (!tool) return undefined;
  const parts = partsOf(words.slice(1));
  return parts && { tool, parts, json, server: server ?? { file: undefined } };
}

/**
 * A word may hold U+FFFD where its bytes were no UTF-8: only the system still has those (word-bytes.ts). By a loop: what a
 * callback is made of is compiled first.
 */
export function mayBeNoText(words: readonly string[]): boolean {
  for (const word of words) if (word.includes("\ufffd")) return true;
  return false;
}

/** A word behind the name of a tool: what it gives, and nothing of that read. `key` is undefined where it is one whole object. */
export type Word =
  | { kind: "keyed"; key: string; text: string; json: boolean }
  | { kind: "object"; text: string }
  | { kind: "file"; key: string; path: string; json: boolean }
  | { kind: "stdin"; key: string | undefined; json: boolean };

/** By cli.md, call; undefined where it is no argument. */
export function wordOf(typed: string): Word | undefined {
  if (typed === "-") return { kind: "stdin", key: undefined, json: true };
  if (typed.trimStart().startsWith("{")) return { kind: "object", text: typed };
  const equals = typed.indexOf("=");
  const json = typed[equals - 1] === ":";
  const key = typed.slice(0, json ? equals - 1 : equals);
  if (equals < 0 || key === "") return undefined;
  const text = typed.slice(equals + 1);
  if (text === "@-") return { kind: "stdin", key, json };
  if (text.startsWith("@@")) return { kind: "keyed", key, text: text.slice(1), json };
  if (text.startsWith("@")) return { kind: "file", key, path: text.slice(1), json };
  return { kind: "keyed", key, text, json };
}

// --- internal ---

/** The address of a server is no command. */
function commandIn([command, ...args]: string[]): PlainCommand | undefined {
  return command && !command.includes(":") ? { name: "server", command, args } : undefined;
}

/** `URL` or `NAME=URL`, with nothing to be filled in, and no credentials. */
function urlIn(spec: string): PlainUrl | undefined {
  const url = spec.startsWith("http") ? spec : spec.slice(spec.indexOf("=") + 1);
  const name = spec.slice(0, -url.length);
  if (name === "=" || name.startsWith("-")) return undefined;
  const isOdd = name.includes(":") || name.includes(" ") || url.includes("${") || url.includes("@");
  const isHttp = url.startsWith("http://") || url.startsWith("https://");
  return isHttp && !isOdd && URL.canParse(url) ? { url } : undefined;
}

function fileIn(path: string): PlainFile | undefined {
  return path === "" || path.startsWith("-") ? undefined : { file: path };
}

function partsOf(words: readonly string[]): ArgumentPart[] | undefined {
  const parts: ArgumentPart[] = [];
  for (const typed of words) {
    const part = partOf(wordOf(typed));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts;
}

/** Undefined where something has to be read first, and where it is told what is wrong with it. */
function partOf(word: Word | undefined): ArgumentPart | undefined {
  try {
    if (word?.kind === "object") {
      const value = parseJson(withoutMark(word.text));
      return isObject(value) ? { kind: "object", value } : undefined;
    }
    if (word?.kind !== "keyed") return undefined;
    const { key, text, json } = word;
    if (!json) return { kind: "text", key, text };
    return { kind: "json", key, value: parseJson(withoutMark(text)) };
  } catch {
    return undefined;
  }
}
