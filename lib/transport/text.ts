/** Small readings of one line of text, for framing. Pure. */
import type { Noise } from "./framed.ts";

/** True for what can be an object or an array. */
export function isJsonLike(text: string): boolean {
  return text.startsWith("{") || text.startsWith("[");
}

/** A line of noise, clipped to 200 characters. Copied, since a slice would keep the whole line in memory. */
export function clipNoise(text: string): string {
  return text.length > noiseMax ? `${Array.from(text.slice(0, noiseMax)).join("")}…` : text;
}

export function noiseOf(text: string, reason: string, more: Partial<Noise> = {}): Noise {
  return { noise: clipNoise(text), reason, lines: 1, ...more };
}

/** A line that is no JSON. */
export function notJson(text: string): Noise {
  if (!utf16.test(text)) return noiseOf(text, "not JSON");
  return noiseOf(text.replaceAll("\0", ""), "UTF-16, where UTF-8 belongs");
}

/** Parses what can be a message or a batch; undefined for everything else, also for what is nested too deeply. */
export function parse(text: string): unknown {
  if (!isJsonLike(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of one message of a batch that was parsed with all its digits; empty where it is nested too deeply. */
export function elementText(element: unknown): string {
  try {
    return JSON.stringify(element);
  } catch {
    return "";
  }
}

/** The length that a Content-Length header names; undefined for any other line. */
export function contentLengthOf(text: string): number | undefined {
  const length = /^content-length:\s*(\d{1,15})$/i.exec(text)?.[1];
  return length === undefined ? undefined : Number(length);
}

/** A line without what it says to a terminal (colours, titles), unless it says nothing else. JSON has no escapes in it. */
export function withoutEscapes(line: string): string {
  if (!line.includes("\u001B")) return line;
  const plain = Bun.stripANSI(line);
  return plain.trim() === "" ? line : plain;
}

/** True for what may be a header of any name. */
export function isHeader(text: string): boolean {
  return /^[a-z-]{1,40}:/i.test(text);
}

// --- internal ---

const noiseMax = 200;
/** Every second byte is NUL; before them perhaps what the mark of the byte order became, or half of the LF before. */
const utf16 = /^\uFFFD{0,2}\0?[^\0]\0[^\0]\0/;
