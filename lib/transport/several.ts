/**
 * Several messages on one line: a batch (2025-03-26), or what was written without newlines, with something else between
 * the messages (CR, NUL, a record separator), or with a log text behind. Looks at brackets and strings only. Pure.
 */
import { parseJson } from "../base/json.ts";
import { readMessage, readMessages } from "../protocol/read.ts";
import { endOfString } from "./broken.ts";
import type { Framed } from "./framed.ts";
import { elementText, noiseOf, parse } from "./text.ts";

/** The messages of a batch; undefined where it holds none. An empty one and batches within batches are noise. */
export function batchOf(values: unknown[], text: string): Framed[] | undefined {
  const readings = readMessages(values);
  if (readings.every(({ message }) => message === undefined)) return undefined;
  const exact = parseJson(text) as unknown[];
  return readings.map(({ message, noise, odd }, index) => {
    if (message === undefined) return noiseOf(text, noise);
    const element = elementText(exact[index]);
    return odd === undefined ? { message, text: element } : { message, text: element, odd };
  });
}

/** The parts of a line that begins with an object and goes on behind it, where one of them is a message; none of any other. */
export function partsOf(line: string): string[] {
  const parts = split(line);
  const isSplit = parts[0] !== line && parse(parts[0] ?? "") !== undefined;
  return isSplit && parts.some(isMessage) ? parts : [];
}

/** The messages of a text that holds nothing else. */
export function wholeMessages(text: string): string[] {
  const parts = split(text);
  return parts.every(isMessage) ? parts : [];
}

// --- internal ---

/** What stands between messages of such servers: blanks, NULs, record separators. */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const between = /^[\s\0\x1e]+/;

/** The objects that a line begins with, and last what is none, if anything is left. */
function split(line: string): string[] {
  const parts: string[] = [];
  let rest = line.replace(between, "");
  while (rest !== "") {
    const end = endOfObject(rest);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).replace(between, "");
  }
  return parts;
}

function isMessage(text: string): boolean {
  return readMessage(parse(text)).message !== undefined;
}

/** The index behind the object that a text begins with; its length where it begins with none, or that has no end. */
function endOfObject(text: string): number {
  if (!text.startsWith("{")) return text.length;
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === "{") depth++;
    else if (character === "}" && --depth === 0) return index + 1;
  }
  return text.length;
}
