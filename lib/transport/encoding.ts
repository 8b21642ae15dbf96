/** Whether what a server wrote was UTF-8: in another encoding, characters are lost without a word. Pure. */
import type { Framed } from "./framed.ts";

/**
 * True where a character was lost in what these bytes completed, or may have been what broke it. A U+FFFD that was written as
 * such is none.
 */
export function lostCharacters(all: readonly Framed[], bytes: Uint8Array): boolean {
  return mayHaveLost(all) && !isText(bytes);
}

/** True where U+FFFD in a text stands for what was lost, by how many bytes it was decoded from: most often that were fewer. */
export function lostInText(text: string, bytes: number): boolean {
  const written = Buffer.byteLength(text);
  return written !== bytes && written + markBytes !== bytes;
}

// --- internal ---

/** A byte order mark, which is left out. */
const markBytes = 3;

/** A loop, not a callback: this is on the way of every message. */
function mayHaveLost(all: readonly Framed[]): boolean {
  for (const framed of all)
    if ("oversize" in framed || ("text" in framed && framed.text.includes("\ufffd"))) return true;
  return false;
}

/** A character that is cut at either end is none the worse for that. */
function isText(bytes: Uint8Array): boolean {
  let from = 0;
  while (from < 3 && isContinuation(bytes[from])) from += 1;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(from), { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Of a character of several bytes, not the first one. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
