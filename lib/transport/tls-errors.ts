/** What the codes of TLS mean, and what helps: a certificate that is not valid or not trusted, a handshake that fails. Pure. */
import type { FetchTls } from "./fetch-types.ts";

/** OpenSSL's names of faults in a certificate, and what the handshake itself may end in. */
export function isOfTls(code: string): boolean {
  return (
    untrusted.has(code) ||
    /^(CERT_|CRL_|ERR_TLS_|ERR_SSL_|UNABLE_TO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH|PATH_LENGTH|ERROR_IN_CERT)|^EPROTO$/.test(
      code,
    )
  );
}

/** Nobody that we know vouches for the certificate. */
export const untrusted = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_UNTRUSTED",
]);

/** `place`: host and port of the server. */
export function explainTls(
  code: string,
  cause: unknown,
  { place, tls }: { place: string; tls: FetchTls | undefined },
): { text: string; hint: string; facts?: Record<string, unknown> } {
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return {
      text: `the TLS handshake with ${place} failed (${code})`,
      hint: `does it speak plain HTTP? then its address is http://…; does it ask for a certificate of ours? then ${tls?.cert === undefined ? "set tls.cert and tls.key" : "tls.cert must be one that it trusts"}`,
    };
  const reason = certificateReason(code, cause);
  const facts = { certificate: reason };
  const text = `the certificate of ${place} is not valid: ${reason} (${code})`;
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

// --- internal ---

/** OpenSSL's own words. */
function certificateReason(code: string, cause: unknown): string {
  if (code.startsWith("ERR_") || !(cause instanceof Error)) return "it is for another name";
  return cause.message;
}
