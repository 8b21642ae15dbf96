/** Results of tools in words (cli.md, call, Output): what goes to stdout, what is said of the rest. Nothing is decoded. Pure. */
import type { Json } from "../base/json.ts";
import { memberOf } from "../base/slice.ts";
import { readContent } from "../protocol/content.ts";
import type { ContentBlock } from "../protocol/content.ts";
import type { ToolResult } from "../protocol/mcp.ts";
import type { Binary } from "./save.ts";

/** A result, ready to be printed. */
export interface Rendered {
  /** For stdout: each text ends in a newline. */
  text: string;
  /** For a file: no newline added at the end. */
  exact: string;
  binaries: Binary[];
  /** What a person must know besides, one line each. */
  notes: string[];
}

/** A result, and its text as it came; the text of a large one is only asked for where it is needed. */
export interface Answer {
  readonly result: ToolResult;
  readonly raw: string;
}

/** Loops, not callbacks: what those are made of is compiled first, and this is on the way of every call. */
export function renderResult(answer: Answer): Rendered {
  const pieces: string[] = [];
  const binaries: Binary[] = [];
  const notes: string[] = [];
  for (const block of readContent(answer.result)) {
    const piece = pieceOf(block);
    if (piece !== undefined && piece !== "") pieces.push(piece);
    if ("base64" in block) binaries.push(block);
    if (block.kind === "unknown" && notes.length === 0)
      notes.push("a block of content that is no known kind is printed as JSON");
  }
  if (binaries.length + pieces.length === 0) pieces.push(...dataOf(answer, notes));
  let [text, exact] = ["", ""];
  for (const piece of pieces) {
    exact = text + piece;
    text += ended(piece);
  }
  return { text, exact, binaries, notes };
}

// --- internal ---

/** What of a block is text. */
function pieceOf(block: ContentBlock): string | undefined {
  switch (block.kind) {
    case "text":
    case "resource":
      return block.text;
    case "link":
      return block.uri;
    case "unknown":
      return jsonOf(block.value);
    default:
      return undefined;
  }
}

/** What stands for content that shows nothing. */
function dataOf(answer: Answer, notes: string[]): string[] {
  const { result } = answer;
  if (Object.hasOwn(result, "structuredContent"))
    return [memberOf(answer.raw, "structuredContent") ?? jsonOf(result.structuredContent)];
  const known = new Set(["content", "isError", "_meta", "resultType"]);
  if (Object.hasOwn(result, "content") || Object.keys(result).every((key) => known.has(key)))
    return [];
  notes.push("the result has no content: it is printed as JSON, as it came");
  return [answer.raw];
}

/** A value too deep to be written (it was read all the same) is named, and `--json` has it. */
function jsonOf(value: Json | undefined): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return '"(too deep to be printed; --json prints the result as it came)"';
  }
}

function ended(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}
