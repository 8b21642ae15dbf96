/**
 * Small changes to a text of JSON with comments: one value set, one taken out, and every other character stays where it
 * was, comments too. Pure; the text must parse.
 */
import { type Node, type ParseOptions, parseTree } from "jsonc-parser";

import type { Path } from "./problems.ts";

/** Sets the value at a path; objects on the way that are missing are made. Of a key that stands there twice, the later. */
export function setAt(text: string, path: Path, value: unknown): string {
  let at = rootOf(text);
  for (const [depth, key] of path.entries()) {
    const next = childOf(at, key);
    if (next === undefined)
      return inserted(text, at, String(key), wrapped(path.slice(depth + 1), value));
    at = next;
  }
  const { offset, length } = at;
  const style = styleOf(text);
  const content = written(value, indentAt(text, offset), isOneLine(text, at.parent) ? "" : style);
  return text.slice(0, offset) + content + text.slice(offset + length);
}

/** Takes out what is at a path, and its comma; of a key that stands there twice, both. */
export function removeAt(text: string, path: Path): string {
  let now = text;
  while (true) {
    let at: Node | undefined = rootOf(now);
    for (const key of path) at = at && childOf(at, key);
    if (at === undefined) return now;
    now = without(now, at.parent?.type === "property" ? at.parent : at);
    // What is behind it in a list has moved up.
    if (typeof path.at(-1) === "number") return now;
  }
}

// --- internal ---

const options: ParseOptions = { allowTrailingComma: true };

/** How a text is written: its unit of indentation and its line ends. */
interface Style {
  unit: string;
  eol: string;
}

function rootOf(text: string): Node {
  const root = parseTree(text.replace(/^\uFEFF/, " "), [], options);
  if (root === undefined) throw new TypeError("a text without a value cannot be edited");
  return root;
}

function childOf(at: Node, key: string | number): Node | undefined {
  if (typeof key === "number") return at.type === "array" ? at.children?.[key] : undefined;
  if (at.type !== "object") return undefined;
  return at.children?.findLast(({ children = [] }) => children[0]?.value === key)?.children?.[1];
}

function wrapped(path: Path, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

/** A new last property of an object. */
function inserted(text: string, object: Node, key: string, value: unknown): string {
  if (object.type !== "object") throw new TypeError("a key can only be set in an object");
  const { offset, length, children = [] } = object;
  const close = offset + length - 1;
  const last = children.at(-1);
  const isShort = isOneLine(text, object) && last !== undefined;
  const style = styleOf(text);
  const outer = indentAt(text, offset);
  const inner = last === undefined ? outer + style.unit : indentAt(text, last.offset);
  const property = `${JSON.stringify(key)}: ${written(value, inner, isShort ? "" : style)}`;
  const end = last === undefined ? offset + 1 : last.offset + last.length;
  const hasComma = commaAfter(text, end) !== undefined;
  const comma = last === undefined || hasComma ? "" : ",";
  const rest = text.slice(end, close);
  const kept = rest.trimEnd();
  if (isShort)
    return `${text.slice(0, end)}${comma}${kept} ${property}${rest.slice(kept.length)}${text.slice(close)}`;
  const before = `${text.slice(0, end)}${comma}${kept}${style.eol}${inner}${property}`;
  return `${before}${hasComma && last !== undefined ? "," : ""}${style.eol}${outer}${text.slice(close)}`;
}

/** The text without a node, its comma, and its lines where nothing else stands on them. */
function without(text: string, node: Node): string {
  const { offset, length } = node;
  const end = offset + length;
  let [head, tail] = [text.slice(0, offset), text.slice(end)];
  const comma = commaAfter(text, end);
  if (comma !== undefined) tail = text.slice(end, comma) + text.slice(comma + 1);
  else {
    const siblings = node.parent?.children ?? [];
    const before = siblings[siblings.indexOf(node) - 1];
    const at = before && commaAfter(text, before.offset + before.length);
    if (at !== undefined) head = text.slice(0, at) + text.slice(at + 1, offset);
  }
  const lineBegin = /(\r?\n)?[ \t]*$/.exec(head)?.[0] ?? "";
  // On its line something is before it.
  if (!lineBegin.includes("\n")) {
    const isLast = comma === undefined && node.parent?.children?.[0] !== node;
    return isLast ? head.trimEnd() + tail : head + tail.replace(/^[ \t]+(?=[^\s/])/, "");
  }
  if (/^[ \t]*\r?\n/.test(tail)) return head.slice(0, -lineBegin.length) + tail;
  return head + tail.trimStart();
}

/** Where the next comma stands, if nothing but blanks and comments is before it. */
function commaAfter(text: string, from: number): number | undefined {
  const trivia = /(?:\s+|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
  trivia.lastIndex = from;
  trivia.exec(text);
  return text[trivia.lastIndex] === "," ? trivia.lastIndex : undefined;
}

/** A value as JSON that goes on at an indentation; `""`: on one line. */
function written(value: unknown, indent: string, style: Style | ""): string {
  if (style === "") return JSON.stringify(value);
  return JSON.stringify(value, undefined, style.unit).replaceAll("\n", style.eol + indent);
}

function isOneLine(text: string, node: Node | undefined): boolean {
  if (node === undefined) return false;
  const whole = node.type === "property" ? (node.parent ?? node) : node;
  return !text.slice(whole.offset, whole.offset + whole.length).includes("\n");
}

/** The blanks that the line of a place begins with. */
function indentAt(text: string, offset: number): string {
  const begin = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(begin, offset))?.[0] ?? "";
}

/** By the first line that is indented. */
function styleOf(text: string): Style {
  const unit = /\n(\t|[ ]+)\S/.exec(text)?.[1] ?? "  ";
  return { unit: unit.startsWith("\t") ? "\t" : unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}
