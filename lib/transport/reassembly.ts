/**
 * Puts JSON back together that a server printed over several lines. It looks at brackets and strings only, so that a line
 * that cannot belong to JSON is known at once. Pure.
 */

import { endOfString } from "./broken.ts";

/** Lines of a value that is still open. */
export interface Pieces {
  lines: string[];
  length: number;
  /** Brackets that are open. */
  depth: number;
}

export type Added =
  /** The value goes on. */
  | { kind: "open" }
  /** The brackets are closed: the text on one line. */
  | { kind: "closed"; text: string }
  /** Longer than is kept. */
  | { kind: "endless" }
  /** This line cannot be a part of it. */
  | { kind: "foreign" };

/** Begins with a line that is no JSON by itself; undefined if it cannot be the first line of a printed object or array. */
export function begin(line: string): Pieces | undefined {
  const text = line.trim();
  if (text.length > lengthMax || !opening.test(text)) return undefined;
  const depth = depthOf(text);
  if (depth === undefined || depth <= 0) return undefined;
  return { lines: [text], length: text.length, depth };
}

/** Adds a line. Newlines in JSON stand only between tokens, so that one blank does the same. */
export function add(pieces: Pieces, line: string): Added {
  const text = line.trim();
  const change = depthOf(text);
  if (change === undefined) return { kind: "foreign" };
  pieces.lines.push(text);
  pieces.length += text.length + 1;
  pieces.depth += change;
  const isEndless = pieces.length > lengthMax || pieces.lines.length > linesMax;
  if (isEndless) return { kind: "endless" };
  if (pieces.depth > 0) return { kind: "open" };
  return { kind: "closed", text: pieces.lines.join(" ") };
}

/** True for a line that can only be the beginning of another printed value: nested ones are indented. */
export function beginsAnew(line: string): boolean {
  return opening.test(line);
}

/** True for one line that looks like a whole message cut short, not like the first line of a printed one. */
export function isCut({ lines }: Pieces): boolean {
  return lines.length === 1 && lines[0] !== undefined && lines[0].length > 1;
}

// --- internal ---

/** The longest value over several lines, in UTF-16 units. Who prints for a reader prints no more. */
const lengthMax = 4 * 1024 * 1024;
/** Lines cost more than their text. */
const linesMax = 100_000;

/** How a printed object or array begins; `[db] connected` does not. */
const opening = /^[[{]\s*(?:$|["{[])/;

/** Every character that JSON has outside of strings. */
const outside: ReadonlySet<string> = new Set(" \t\r\n[]{},:+-.0123456789Eaeflnrstu");

/** Brackets opened less brackets closed, outside of strings; undefined for a line that is no part of JSON. */
function depthOf(text: string): number | undefined {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (character === '"') {
      index = endOfString(text, index);
      // JSON strings end on the line they begin on.
      if (index >= text.length) return undefined;
    } else if (!outside.has(character)) return undefined;
    else if (character === "{" || character === "[") depth++;
    else if (character === "}" || character === "]") depth--;
  }
  return depth;
}
