/** The kinds of link to a server, by the words that hosts have for them and by its address. Pure. */
import { schemeOf } from "../base/uri.ts";

/** `auto`: over HTTP, to be found out. */
export const linkKinds = new Map<string, "stdio" | "auto" | "http" | "sse" | "ws">([
  ["stdio", "stdio"],
  ["local", "stdio"],
  ["remote", "auto"],
  ["http", "http"],
  ["streamable-http", "http"],
  ["streamableHttp", "http"],
  ["streamable_http", "http"],
  ["streamable", "http"],
  ["sse", "sse"],
  ["ws", "ws"],
  ["websocket", "ws"],
]);

/** A word for a kind as it stands in `linkKinds`, however its letters and signs are written; all else as it is. */
export function linkWord(written: unknown): unknown {
  if (typeof written !== "string" || linkKinds.has(written)) return written;
  const letters = lettersOf(written);
  return [...linkKinds.keys()].find((word) => lettersOf(word) === letters) ?? written;
}

/** True for a word that begins as an address of a server does. */
export function isUrl(word: string): boolean {
  return schemes.has(schemeOf(word));
}

// --- internal ---

const schemes: ReadonlySet<string> = new Set(["http", "https", "ws", "wss"]);

function lettersOf(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, "");
}
