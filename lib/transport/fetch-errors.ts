/**
 * The errors of the network, each with its evidence: whether the request may have reached the server, the system's code,
 * the place, and what helps. Decides by codes. Never shows a path, a query or credentials. Loaded when something failed.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { FetchTls } from "./fetch-types.ts";
import type { Route } from "./proxy.ts";

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
  const code = codeOf(cause);
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
  return tls?.ca === undefined && untrusted.has(codeOf(error));
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
  if (isOfTls(code)) return { sent: false, ...explainTls(code, cause, failing) };
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

function explainTls(
  code: string,
  cause: unknown,
  { url, tls }: Failing,
): Pick<Explanation, "text" | "hint" | "facts"> {
  const { host, port } = placeOf(url);
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return {
      text: `the TLS handshake with ${host}:${port} failed (${code})`,
      hint: `does it speak plain HTTP? then its address is http://…; does it ask for a certificate of ours? then ${tls?.cert === undefined ? "set tls.cert and tls.key" : "tls.cert must be one that it trusts"}`,
    };
  const reason = certificateReason(code, cause);
  const facts = { certificate: reason };
  const text = `the certificate of ${host}:${port} is not valid: ${reason} (${code})`;
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH")
    return { text, facts, hint: "use the name that the certificate is for in the address" };
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return { text, facts, hint: "the server needs a new certificate, or the clock here is wrong" };
  if (!untrusted.has(code)) return { text, facts, hint: "the server needs another certificate" };
  const hint = `to trust it, set tls.ca of the server (or NODE_EXTRA_CA_CERTS) to the PEM file of ${
    code === "DEPTH_ZERO_SELF_SIGNED_CERT" ? "that certificate" : "the authority that signed it"
  }; tls.insecure takes any certificate`;
  return { text, facts, hint };
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

/** Nobody that we know vouches for the certificate. */
const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);

/** OpenSSL's names of faults in a certificate, and what the handshake itself may end in. */
function isOfTls(code: string): boolean {
  return (
    untrusted.has(code) ||
    /^(CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH|ERROR_IN_CERT)|^EPROTO$/.test(
      code,
    )
  );
}

/** OpenSSL's own words. */
function certificateReason(code: string, cause: unknown): string {
  if (code.startsWith("ERR_") || !(cause instanceof Error)) return "it is for another name";
  return cause.message;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}
