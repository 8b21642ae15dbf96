/**
 * The errors of the network, each with its evidence: whether the request may have reached the server, the system's code,
 * the place, and what helps. Decides by codes. Never shows a path, a query or credentials. Loaded when something failed.
 */
import { errnoOf, HostError, isHostError } from "../base/errors.ts";
import type { FetchTls } from "./fetch-types.ts";
import type { Route } from "./proxy.ts";
import { explainTls, isOfTls, untrusted } from "./tls-errors.ts";

/** What the request was that failed. */
export interface Failing {
  /** The server's configured name. */
  name: string;
  url: URL;
  /** Through this proxy. */
  route?: Route | undefined;
  tls?: FetchTls | undefined;
}

/** The error of a request that got no answer: `server_exit` with `facts.sent`; errors of ours go through. */
export function networkError(cause: unknown, failing: Failing): HostError {
  if (isHostError(cause)) return cause;
  const { name, url, route } = failing;
  const code = errnoOf(cause) ?? "";
  const { sent, text, hint, facts } = explain(code, cause, failing);
  return new HostError("server_exit", `server "${name}": ${text}`, {
    facts: {
      server: name,
      sent,
      ...(code !== "" && { errno: code }),
      ...placeOf(url),
      ...(route && { proxy: route.shown }),
      ...facts,
    },
    hint,
    cause,
  });
}

/** Host and port of an address. */
export function placeOf({ hostname, port, protocol }: URL): { host: string; port: number } {
  const usual = protocol === "https:" || protocol === "wss:" ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? usual : Number(port) };
}

/**
 * True for a certificate that nobody vouched for, so that the authorities of our environment may help. (What Bun found in
 * the variables of its own process when it started, it trusts already.)
 */
export function mayTrustMore(error: unknown, tls: FetchTls | undefined): boolean {
  return tls?.ca === undefined && untrusted.has(errnoOf(error) ?? "");
}

// --- internal ---

interface Explanation {
  sent: boolean;
  text: string;
  hint: string;
  facts?: Record<string, unknown>;
}

function explain(code: string, cause: unknown, failing: Failing): Explanation {
  const { url, route, tls } = failing;
  const { host, port } = placeOf(url);
  const place = route ? `the proxy ${route.shown} (${route.variable})` : `${host}:${port}`;
  if (code === "ERR_PROXY_TUNNEL") return refusedTunnel(cause, failing);
  if (unresolved.test(code))
    return {
      sent: false,
      text: `the host name of ${place} is not known (${code})`,
      hint: route
        ? `is ${route.variable} right?`
        : "is the address right, and is there a network? behind a proxy set HTTPS_PROXY",
    };
  if (code === "ECONNREFUSED")
    return {
      sent: false,
      text: `${route ? `${place} is not there` : `nothing listens on ${place}`} (${code})`,
      hint: route
        ? "is the proxy up? NO_PROXY names hosts that need none"
        : "is the server running, and is the port right?",
    };
  if (neverReached.has(code))
    return {
      sent: false,
      text: `${place} cannot be reached (${code})`,
      hint: "is the address right, and is there a network?",
    };
  if (code === "ETIMEDOUT")
    return {
      sent: true,
      text: `${place} does not answer any more (${code})`,
      hint: "the network may be down, or the server's machine",
    };
  if (isOfTls(code))
    return { sent: false, ...explainTls(code, cause, { place: `${host}:${port}`, tls }) };
  if (code === "FailedToOpenSocket" && tls !== undefined)
    return {
      sent: false,
      text: "its certificates or its key cannot be used",
      hint: "tls.ca, tls.cert and tls.key are PEM files; key and cert belong together; an encrypted key needs tls.passphrase",
    };
  if (unreadable.has(code))
    return {
      sent: true,
      text: `what ${place} answered cannot be read as HTTP (${code})`,
      hint: "the server, or what stands before it, has a fault",
    };
  if (code === "Malformed_HTTP_Response" || code.startsWith("InvalidHTTP"))
    return {
      sent: true,
      text: `what ${place} answered is no HTTP`,
      hint: "is that the server's port, and does its address begin with https:// where it must?",
    };
  return {
    sent: true,
    text: `${place} closed the connection before it answered (${code || reasonOf(cause)})`,
    hint:
      url.protocol === "http:"
        ? "the server may have ended; if it expects TLS, its address begins with https://"
        : "the server may have ended",
  };
}

/** The proxy was there and did not let us through. */
function refusedTunnel(cause: unknown, { route, url }: Failing): Explanation {
  const status = (cause as { status?: unknown }).status;
  const needsUser = status === 407;
  return {
    sent: false,
    text: `the proxy ${route?.shown} (${route?.variable}) refused the way to ${url.host}: status ${String(status)}`,
    hint: needsUser
      ? `it wants a user: ${route?.variable}=http://USER:PASSWORD@${route?.shown}`
      : "NO_PROXY names hosts that need no proxy",
    facts: { httpStatus: status },
  };
}

const unresolved = /^(ENOTFOUND|EAI_|EDNS|ENODATA|ESERVFAIL|DNS)/;
const neverReached = new Set([
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ENETDOWN",
  "EACCES",
  "EPERM",
  "ConnectionRefused",
]);

const unreadable = new Set([
  "InvalidContentLength",
  "ResponseHeadersTooLarge",
  "UnrequestedUpgrade",
]);

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}
