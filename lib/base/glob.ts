/** Globs over names: `*` stands for any run of characters, everything else for itself; case counts. Pure, never backtracks. */

/** True if `pattern` matches the whole of `text`. */
export function matchesGlob(pattern: string, text: string): boolean {
  return globOf(pattern)(text);
}

/** The same for many texts. */
export function globOf(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => matches(text, first, rest, last);
}

// --- internal ---

function matches(text: string, first: string, rest: readonly string[], last: string): boolean {
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
