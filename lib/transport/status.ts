/** What the status of a refusal tells a person, whatever the transport: that a sign-in is needed, and what to try. Pure; decides by the status. Loaded when one is met. */
import type { ErrorCode } from "../base/errors.ts";
import { challengeOf, placeOf, retryAfterOf } from "./http-facts.ts";
import type { Challenge } from "./http-facts.ts";

export interface Refusal {
  status: number;
  /** The address that was asked. */
  url: string;
  /** Credentials were sent along. */
  hasToken?: boolean | undefined;
  /** When the server wants to be asked again. */
  retryAfterMs?: number | undefined;
  /** What it asks for. */
  challenge?: Challenge | undefined;
}

/** `auth_required` where the server wants to know who we are, or will not have us; else `otherwise`. */
export function codeOfStatus(status: number, otherwise: ErrorCode): ErrorCode {
  return status === 401 || status === 403 ? "auth_required" : otherwise;
}

/**
 * What stands before the server (a proxy, a balancer, Cloudflare with statuses of its own) lost the request on the way to it or
 * the answer on the way back: whether it was done is not known.
 */
export function isLostOnTheWay(status: number): boolean {
  return status === 502 || status === 504 || status === 520 || status === 524;
}

/** What to do about it; undefined: nothing that the status tells. */
export function statusHint(refusal: Refusal): string | undefined {
  const { status, url, retryAfterMs } = refusal;
  if (status === 401 || status === 403) return signInHint(refusal);
  if (status === 421) return `${hostHint(url)}; its own settings may name others`;
  if (status === 407)
    return "a proxy wants a sign-in: its user and password go into the address of the proxy (HTTP_PROXY, HTTPS_PROXY)";
  if (status === 413) return "what was sent is more than it takes, or what stands before it";
  if (status === 404 || status === 405) {
    const what = status === 404 ? "there is no MCP at" : "no messages are taken at";
    return `${what} ${placeOf(url)}: most servers answer at /mcp, older ones at /sse`;
  }
  const when = retryAfterMs === undefined ? "later" : `in ${inWords(retryAfterMs)}`;
  if (status === 429) return `it gets more requests than it takes; try again ${when}`;
  if (isLostOnTheWay(status))
    return "what stands before the server (a proxy) got no answer of it: is the server up?";
  if (status === 508)
    return `${placeOf(url)} leads back to who asks: take the server out of the config`;
  if (status === 503 && retryAfterMs !== undefined) return `it has no time now; try again ${when}`;
  return status >= 500
    ? "the server, or what stands before it, has a fault; its log may tell"
    : undefined;
}

/** The same of a response, with what it says besides. */
export function hintOf(
  { status, headers }: Pick<Response, "status" | "headers">,
  { url, hasToken }: Pick<Refusal, "url" | "hasToken">,
): string | undefined {
  const challenge = challengeOf(headers.get("www-authenticate"));
  return statusHint({ status, url, hasToken, challenge, retryAfterMs: retryAfterOf(headers) });
}

// --- internal ---

function signInHint({ status, url, hasToken, challenge = { scheme: "" } }: Refusal): string {
  const { scheme, scope, error, errorDescription } = challenge;
  const said = errorDescription === undefined ? "" : `it says "${errorDescription}"; `;
  if (error === "insufficient_scope" && scope !== undefined)
    return `${said}it wants a token with the scopes: ${scope}`;
  if (status === 401) {
    const isBasic = /^basic$/i.test(scheme);
    const what = isBasic ? "a user and a password in its address, or" : "a token";
    return hasToken
      ? `${said}the credentials that it was given are refused: are they right, and do they still hold?`
      : `${said}give it ${what} in its headers: Authorization: ${isBasic ? "Basic" : "Bearer"} …`;
  }
  return `${said}${
    hasToken
      ? "the credentials that it was given do not allow this"
      : "it may want a token in its headers (Authorization: Bearer …)"
  }; ${hostHint(url)}`;
}

function hostHint(url: string): string {
  return `some servers take only the host name that they were started with${otherName(url)}`;
}

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
