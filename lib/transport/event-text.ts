/** Small readings of the text of an event stream. Pure. */

import { glimpse, oversize } from "./broken.ts";
import { parse } from "./text.ts";
import type { Oversize } from "./transport.ts";

/** One event, as nearly all servers write the answer to a request. */
export interface PlainEvent {
  event?: "message";
  data: string;
}

/** How many characters of an event that is too large are looked at, at each end. */
export const edgeMax = 4096;

/** A text that is one whole event with one line of data, and perhaps says that it is a `message`; undefined for all else. */
export function plainEvent(text: string): PlainEvent | undefined {
  const named = text.startsWith(lfName) ? lfName : text.startsWith(crlfName) ? crlfName : "";
  const from = named.length + prefix.length;
  if (!text.startsWith(prefix, named.length)) return undefined;
  const lf = text.indexOf("\n", from);
  const end = text[lf - 1] === "\r" ? lf - 1 : lf;
  if (text.length - end > 4 || !blankEnds.has(text.slice(end))) return undefined;
  const data = text.slice(from, end);
  if (data === "" || data.includes("\r")) return undefined;
  return named === "" ? { data } : { event: "message", data };
}

/** The index behind the last blank line of `text`, 0 where there is none. `edge` is the character before it. */
export function behindLastBlankLine(text: string, edge: string): number {
  const index = Math.max(
    text.lastIndexOf("\n\n"),
    text.lastIndexOf("\r\r"),
    text.lastIndexOf("\n\r"),
  );
  return index < 0 ? blankAtStart(text, edge) : index + 2;
}

/** The same for the first; -1 where there is none. A LF that belongs to it may be left behind, which means nothing. */
export function behindFirstBlankLine(text: string, edge: string): number {
  const atStart = blankAtStart(text, edge);
  if (atStart > 0) return atStart;
  const index = text.search(/\n\n|\r\r|\n\r/);
  return index < 0 ? -1 : index + 2;
}

/** Data that nothing is missing of: JSON, or several, a line each. */
export function isWhole(data: string): boolean {
  if (parse(data.trim()) !== undefined) return true;
  const lines = data.trim().split(/[\r\n]+/);
  return lines.length > 1 && lines.every((line) => parse(line.trim()) !== undefined);
}

/** JSON may end so, without a look at the rest of it. */
export function mayEnd(text: string): boolean {
  return /[}\]]\s*$/.test(text.slice(-8));
}

/** The data lines of a piece of an event, as far as they are whole, with the rest of a line that the piece begins in. */
export function dataOf(piece: string): string {
  return piece.replace(/(^|[\r\n])(?:data: ?|(?:event|id|retry):[^\r\n]*|:[^\r\n]*)/g, "$1");
}

/** An event that was too large to keep, of which there are its beginning and its end. */
export function lost(bytes: number, bytesMax: number, head: string, tail: string): Oversize {
  const { id, call } = glimpse(head, tail);
  return oversize({ bytes, bytesMax, id, call });
}

// --- internal ---

const prefix = "data: ";
const lfName = "event: message\n";
const crlfName = "event: message\r\n";
const blankEnds: ReadonlySet<string> = new Set(["\n\n", "\r\n\r\n"]);

/** 1 where the line break at the start of `text` follows another; CR and LF are one. */
function blankAtStart(text: string, edge: string): number {
  const first = text[0];
  if (edge === "\n") return first === "\n" || first === "\r" ? 1 : 0;
  return edge === "\r" && first === "\r" ? 1 : 0;
}
