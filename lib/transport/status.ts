/** What the status of a refusal tells a person, whatever the transport: that a sign-in is needed, and what to try. Pure; decides by the status. Loaded when one is met. */
import type { ErrorCode } from "../base/errors.ts";
import { placeOf } from "./http-facts.ts";

export interface Refusal {
  status: number;
  /** The address that was asked. */
  url: string;
  /** Credentials were sent along. */
  hasToken?: boolean | undefined;
  /** When the server wants to be asked again. */
  retryAfterMs?: number | undefined;
}

/** `auth_required` where the server wants to know who we are, or will not have us; else `otherwise`. */
export function codeOfStatus(status: number, otherwise: ErrorCode): ErrorCode {
  return status === 401 || status === 403 ? "auth_required" : otherwise;
}

/** What to do about it; undefined: nothing that the status tells. */
export function statusHint({ status, url, hasToken, retryAfterMs }: Refusal): string | undefined {
  if (status === 401)
    return hasToken
      ? "the credentials that it was given are refused: are they right, and do they still hold?"
      : "give it a token in its headers: Authorization: Bearer …";
  if (status === 403)
    return `${
      hasToken
        ? "the credentials that it was given do not allow this"
        : "it may want a token in its headers (Authorization: Bearer …)"
    }; some servers take only the host name that they were started with${otherName(url)}`;
  if (status === 404 || status === 405) {
    const what = status === 404 ? "there is no MCP at" : "no messages are taken at";
    return `${what} ${placeOf(url)}: most servers answer at /mcp, older ones at /sse`;
  }
  const when = retryAfterMs === undefined ? "later" : `in ${inWords(retryAfterMs)}`;
  if (status === 429) return `it gets more requests than it takes; try again ${when}`;
  if (status === 502 || status === 504)
    return "what stands before the server (a proxy) got no answer of it: is the server up?";
  if (status === 508)
    return `${placeOf(url)} leads back to who asks: take the server out of the config`;
  if (status === 503 && retryAfterMs !== undefined) return `it has no time now; try again ${when}`;
  return status >= 500
    ? "the server, or what stands before it, has a fault; its log may tell"
    : undefined;
}

// --- internal ---

const loopback: ReadonlyMap<string, string> = new Map([
  ["127.0.0.1", "localhost"],
  ["[::1]", "localhost"],
  ["localhost", "127.0.0.1"],
]);

function otherName(url: string): string {
  const hostname = URL.parse(url)?.hostname ?? "";
  const other = loopback.get(hostname);
  return other === undefined ? "" : `: try ${other} for ${hostname}`;
}

function inWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3600)} h`;
}
