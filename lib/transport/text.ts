/** Small readings of one line of text, for framing. Pure. */

/** True for what can be an object or an array. */
export function isJsonLike(text: string): boolean {
  return text.startsWith("{") || text.startsWith("[");
}

/** Newlines in JSON stand only between tokens, so that blanks do the same. */
export function onOneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, " ");
}

/** A line of noise, clipped to 200 characters. Copied, since a slice would keep the whole line in memory. */
export function clipNoise(text: string): string {
  return text.length > noiseMax ? `${Array.from(text.slice(0, noiseMax)).join("")}…` : text;
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

/** The text of one message of a batch. */
export function elementText(element: unknown): string {
  try {
    return JSON.stringify(element);
  } catch {
    return "";
  }
}

// --- internal ---

const noiseMax = 200;
