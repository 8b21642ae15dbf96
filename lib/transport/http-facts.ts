/** Readings of what an HTTP server said beside the protocol, fit for a message to a person. Pure; never a secret. */

/** What a `WWW-Authenticate` header asks for (RFC 9110, RFC 9728). */
export interface Challenge {
  scheme: string;
  resourceMetadata?: string;
  scope?: string;
  error?: string;
  errorDescription?: string;
}

/** The bearer challenge of a header, or else its first; undefined where there is none. */
export function challengeOf(header: string | null): Challenge | undefined {
  if (header === null) return undefined;
  const bearer = header.search(/(?:^|[\s,])bearer(?:$|[\s,])/i);
  const text = bearer > 0 ? header.slice(bearer).replace(/^[\s,]+/, "") : header.trim();
  const scheme = /^[\w-]+/.exec(text)?.[0];
  if (scheme === undefined) return undefined;
  const challenge: Challenge = { scheme };
  for (const [name, key] of parameters) {
    const match = new RegExp(
      String.raw`[\s,]${name}\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))`,
      "i",
    );
    const found = match.exec(text);
    const value = found?.[1]?.replace(/\\(.)/g, "$1") ?? found?.[2];
    if (value !== undefined) challenge[key] = clean(value, 500);
  }
  return challenge;
}

/** Milliseconds that `Retry-After` names (seconds or a date). */
export function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  // A date has a month in letters.
  const at = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

/** A text of a server on one line: without markup and control characters, at most `max` characters. */
export function clean(text: string, max = 200): string {
  const plain = text
    .slice(0, 65_536)
    .replace(/<(script|style)\b[^>]*>[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[!/a-z][^<>]*>/gi, " ")
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim();
  const characters = Array.from(plain.slice(0, max * 2));
  return characters.length > max ? `${characters.slice(0, max).join("")}…` : plain;
}

/** An address without credentials, query and fragment. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "" : `${parsed.origin}${parsed.pathname}`;
}

// --- internal ---

const parameters = [
  ["resource_metadata", "resourceMetadata"],
  ["scope", "scope"],
  ["error", "error"],
  ["error_description", "errorDescription"],
] as const;
