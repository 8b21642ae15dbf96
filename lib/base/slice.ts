/**
 * Parts of a JSON text, cut out as they stand: no number is rounded, no key moved. The text must be valid JSON (it was
 * parsed before); on any other the answer may be wrong but always comes. Pure, linear in the text, no recursion.
 */

/**
 * The exact text of the member at `path` (keys of nested objects), without the space round it. Of members with one name
 * the last counts, as `JSON.parse` does it. Undefined where there is none, or where a step is no object.
 */
export function sliceMember(text: string, ...path: readonly string[]): string | undefined {
  let slice: string | undefined = text.trim();
  for (const key of path) if (slice !== undefined) slice = memberOf(slice, key);
  return slice;
}

/** The same for one key: on the path of every answer. */
export function memberOf(text: string, key: string): string | undefined {
  // So nearly all answers begin, and nobody asks for what stands there.
  if (key === "result" && text.startsWith(answerHead)) {
    const id = skipSpace(text, answerHead.length);
    return memberFrom(text, behind(text, valueEnd(text, id)), key);
  }
  const at = skipSpace(text, 0);
  if (text.charCodeAt(at) !== OPEN_BRACE) return undefined;
  return memberFrom(text, skipSpace(text, at + 1), key);
}

/** The same JSON on one line: line breaks stand only between tokens, so they go, with the indentation behind them. */
export function compact(text: string): string {
  return text.includes("\n") || text.includes("\r") ? text.replace(/[\r\n][ \t\r\n]*/g, "") : text;
}

/** Where the first token from `at` on begins. */
export function skipSpace(text: string, at: number): number {
  let i = at;
  while (isSpace(text.charCodeAt(i))) i += 1;
  return i;
}

// --- internal ---

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const answerHead = '{"jsonrpc":"2.0","id":';

/** Of the members from the one at `from` on. */
function memberFrom(text: string, from: number, key: string): string | undefined {
  let found: string | undefined;
  let at = from;
  while (text.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(text, at);
    const matches = isKey(text, at, keyEnd, key);
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1); // behind the colon
    const to = valueEnd(text, value);
    if (matches) found = text.slice(value, to);
    at = behind(text, to);
  }
  return found;
}

/** Where the next member begins behind a value that ends at `at`; at no quote where there is none. */
function behind(text: string, at: number): number {
  const end = skipSpace(text, at);
  return text.charCodeAt(end) === CLOSE_BRACE ? end : skipSpace(text, end + 1);
}

function isKey(text: string, from: number, to: number, key: string): boolean {
  const raw = to - from - 2;
  if (raw === key.length && text.startsWith(key, from + 1)) return !key.includes("\\");
  if (raw <= key.length) return false; // an escape is longer than what it stands for
  const quoted = text.slice(from, to);
  if (!quoted.includes("\\")) return false;
  try {
    return JSON.parse(quoted) === key;
  } catch {
    return false;
  }
}

/** The index behind the string that opens at `at`. */
function stringEnd(text: string, at: number): number {
  let quote = text.indexOf('"', at + 1);
  while (quote >= 0) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** The index behind the value that begins at `at`. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  let i = at;
  while (i < text.length) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i);
      if (depth === 0) return i;
      continue;
    }
    const isClose = code === CLOSE_BRACE || code === 0x5d;
    if (code === OPEN_BRACE || code === 0x5b) depth += 1;
    else if (depth === 0) {
      if (isClose || code === 0x2c || isSpace(code)) return i; // the end of a number or word
    } else if (isClose) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
    i += 1;
  }
  return text.length;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
