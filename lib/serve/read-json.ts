/** JSON that is nested so deeply that writing it on would take seconds and then fail: it is found out before. Pure. */
import { type Json, parseJson } from "../base/json.ts";

/** `parseJson`, within a depth of `depthMax` (2000). @throws SyntaxError */
export function readJson(text: string): Json {
  if (nestsBeyond(text)) throw new SyntaxError(`nested more than ${depthMax} deep`);
  return parseJson(text);
}

/** Far more than any arguments have, and far less than `JSON.stringify` can write. */
export const depthMax = 2000;

/** Whether a text of JSON has more levels than `max`. @default `depthMax` */
export function nestsBeyond(text: string, max: number = depthMax): boolean {
  // Most are too short for it: each level opens and closes.
  if (text.length < 2 * max) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) at = endOfString(text, at);
    else if (code === openBracket || code === openBrace) {
      depth += 1;
      if (depth > max) return true;
    } else if (code === closeBracket || code === closeBrace) depth -= 1;
  }
  return false;
}

// --- internal ---

/** Where the string that begins at `from` ends; the end of the text where it does not. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === backslash) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}

const [quote, backslash] = [0x22, 0x5c];
const [openBracket, closeBracket] = [0x5b, 0x5d];
const [openBrace, closeBrace] = [0x7b, 0x7d];
