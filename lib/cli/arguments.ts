/**
 * The arguments of a tool as people type them (cli.md, call): words into parts, and the files and stdin that they name
 * read. What the schema makes of a text is not decided here. A key is never a path, and nothing is expanded.
 */
import { shorten } from "../base/clip.ts";
import { HostError } from "../base/errors.ts";
import { isObject, parseJson, withoutMark } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { ArgumentPart } from "../host/arguments.ts";
import { wordOf } from "./plain/line.ts";
import type { Word } from "./plain/line.ts";
import type { Io } from "./types.ts";

/** A part, or one that must be read first. */
export type Pending = ArgumentPart | Extract<Word, { kind: "file" | "stdin" }>;

/**
 * Reads the words behind the tool's name; `args` is the object of `--args`, which all of them win over. Pure.
 * @throws HostError `usage`
 */
export function readArguments(words: readonly string[], args?: string): Pending[] {
  const parts: Pending[] = [];
  if (args !== undefined) parts.push({ kind: "object", value: objectOf(args, "--args") });
  for (const word of words) parts.push(readWord(word));
  return parts;
}

/** Reads what the parts name. Files lie relative to `io.cwd`. @throws HostError `usage` */
export async function fetchArguments(
  pending: readonly Pending[],
  io: Pick<Io, "cwd" | "readStdin">,
): Promise<ArgumentPart[]> {
  const parts: ArgumentPart[] = [];
  for (const part of pending) {
    if (part.kind === "file") {
      const bytes = await readFile(part.path, io.cwd, part.key);
      parts.push(keyed(part.key, textOf(bytes, part.path), part.json, part.path));
    } else if (part.kind === "stdin") {
      const text = textOf(await io.readStdin(), "stdin");
      if (part.key !== undefined) parts.push(keyed(part.key, text, part.json, "stdin"));
      else parts.push({ kind: "object", value: objectOf(text, "stdin") });
    } else parts.push(part);
  }
  return parts;
}

// --- internal ---

/** As much as of stdin. */
const fileBytesMax = 64 * 1024 * 1024;

function readWord(typed: string): Pending {
  const word = wordOf(typed);
  if (word === undefined)
    throw new HostError("usage", `${quote(typed)} is not an argument`, {
      hint: /^(?:https?|wss?):/i.test(typed)
        ? "the address of a server is given by -s URL"
        : "write key=value, key:=JSON, key=@FILE, one JSON object, or - for one on stdin; a server's command stands behind --",
    });
  switch (word.kind) {
    case "object":
      return { kind: "object", value: objectOf(word.text, "argument") };
    case "keyed":
      return keyed(word.key, word.text, word.json, `argument ${word.key}`);
    default:
      return word;
  }
}

function keyed(key: string, text: string, json: boolean, where: string): ArgumentPart {
  return json ? { kind: "json", key, value: jsonOf(text, where) } : { kind: "text", key, text };
}

function jsonOf(text: string, where: string): Json {
  try {
    return parseJson(withoutMark(text));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HostError("usage", `${where}: not JSON: ${reason}`, { cause, hint: hintOf(text) });
  }
}

/** What is most likely wrong with a text that is no JSON. */
function hintOf(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  if (lines.length === 0) return "it is empty; {} is an object without arguments";
  if (lines.length > 1 && lines.slice(0, 2).every(isJson))
    return 'a call takes one object, and each line is one: … | while read -r line; do mcphost call TOOL "$line"; done';
  const begins = `it begins with ${quote(text)}`;
  if (text.startsWith("@"))
    return `${begins}; a file is given as stdin: mcphost call TOOL - < FILE`;
  if (text.includes('"')) return begins;
  return `${begins}; keys and texts have double quotes, which a shell leaves alone in '…'`;
}

function isJson(text: string): boolean {
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}

function objectOf(text: string, where: string): JsonObject {
  const value = jsonOf(text, where);
  if (isObject(value)) return value;
  throw new HostError("usage", `${where}: arguments are one JSON object, not ${quote(text)}`);
}

async function readFile(path: string, cwd: string, key: string): Promise<Uint8Array> {
  try {
    if (path === "") throw new Error("no file was named");
    const file = Bun.file(path.startsWith("/") ? path : `${cwd}/${path}`);
    // A device has no end.
    const bytes = await file.slice(0, fileBytesMax + 1).bytes();
    if (bytes.length > fileBytesMax) throw new Error(`it is larger than ${fileBytesMax} bytes`);
    return bytes;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new HostError(
      "usage",
      `argument ${key}: the file ${quote(path)} cannot be read: ${reason}`,
      {
        facts: { file: path },
        cause,
        hint: `${key}=@FILE reads a file; for a text that begins with @ write ${key}=@@…`,
      },
    );
  }
}

/** Exactly as it is, a byte order mark included. */
function textOf(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new HostError("usage", `${where}: not UTF-8 text, which is all that JSON can carry`, {
      cause,
      hint: "encode it first, for example with base64",
    });
  }
}

function quote(text: string): string {
  return JSON.stringify(shorten(text, 60));
}
