/** Words for what is wrong in a config: places in a file, and what was found there, without ever showing a value. Pure. */
import { HostError } from "../base/errors.ts";

export type Path = readonly (string | number)[];

/** `mcpServers.fs.args[1]`, `mcpServers["a.b"]`. */
export function pathText(path: Path): string {
  let text = "";
  for (const key of path) {
    if (typeof key === "number") text += `[${key}]`;
    else if (!/^[\w$-]+$/.test(key)) text += `[${JSON.stringify(key)}]`;
    else text += text === "" ? key : `.${key}`;
  }
  return text;
}

/** The kind of a value, never the value itself: it may be a secret. */
export function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "boolean" || Number.isNaN(value)) return String(value);
  if (typeof value === "object" && !JSON.isRawJSON(value)) return "an object";
  return typeof value === "object" ? "a number" : `a ${typeof value}`;
}

/** A value of a key, as it may be shown: only where it should be one of our own words (`choices`). Any other may be a secret. */
export function foundText(
  key: string | number | undefined,
  value: unknown,
  choices: readonly string[],
): string {
  const isWord = choices.includes(String(key)) && typeof value === "string";
  return isWord ? JSON.stringify(value.slice(0, 40)) : kindOf(value);
}

/** What was parsed, and what was odd, in words for a person. */
export interface ParsedText {
  value: unknown;
  warnings: string[];
}

/** Where a text came from. */
export interface TextSource {
  label: string;
  file?: string | undefined;
}

/** Both from 1. */
export interface Position {
  line: number;
  column: number;
}

/** What is parsed at all, for a text that may be something else. */
export function formatHint({ label, file }: TextSource): string {
  if (file === undefined) return `${label} takes JSON itself; -c FILE reads a file`;
  return "a config is JSON, with or without comments; TOML or YAML in a file whose name ends in .toml, .yaml or .yml";
}

/** Where a parser does not say it: the first line behind the longest beginning that it takes. An error stands there, or something that never ends. */
export function faultyLine(text: string, parse: (text: string) => unknown): Position | undefined {
  const lines = text.split("\n");
  if (lines.length > faultyLinesMax) return undefined;
  let good = 0;
  for (let count = 1; count <= lines.length; count++)
    if (takes(parse, lines.slice(0, count).join("\n"))) good = count;
  return { line: good + 1, column: (lines[good] ?? "").search(/\S|$/) + 1 };
}

/** The error for a text that cannot be parsed. */
export function syntaxError(
  source: TextSource,
  why: string,
  at: Position | undefined,
  { cause, hint }: { cause?: unknown; hint?: string | undefined } = {},
) {
  const place = at ? `:${at.line}:${at.column}` : "";
  return new HostError("config", `${source.label}${place}: ${why}`, {
    facts: { ...(source.file === undefined ? {} : { file: source.file }), ...at },
    cause,
    ...(hint !== undefined && { hint }),
  });
}

// --- internal ---

/** Beyond it, looking for the line would take seconds. */
const faultyLinesMax = 2000;

function takes(parse: (text: string) => unknown, text: string): boolean {
  try {
    parse(text);
    return true;
  } catch {
    return false;
  }
}
