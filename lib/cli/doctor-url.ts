/**
 * What kept a server from being reached, as a word for programs and with what may help beside what the error says itself.
 * Decides by the facts of the error. Pure; a part of the doctor.
 */
import type { HostError } from "../base/errors.ts";
import type { Examination } from "./doctor-types.ts";

type Reached = NonNullable<Examination["reached"]>;

/** The word for a failure on the way to a server, or in what it answered. */
export function urlFailureCode({ code, facts }: HostError): string {
  if (code === "auth_required") return "auth";
  const { httpStatus, timeoutMs, rpcCode, certificate } = facts;
  if (certificate !== undefined) return "certificate";
  if (httpStatus !== undefined) return "http-status";
  if (rpcCode !== undefined) return "refused";
  if (timeoutMs !== undefined) return "silent";
  return facts["errno"] === undefined ? "start" : "unreachable";
}

/** What else may help; undefined: nothing that the error does not say. */
export function urlHint({ facts }: HostError, { url }: Reached): string | undefined {
  const { httpStatus } = facts;
  const { pathname, hostname } = URL.parse(url) ?? { pathname: "", hostname: "" };
  if (httpStatus === 404 || httpStatus === 405) {
    const missing = pathname === "/" || pathname === "";
    return missing
      ? "its path may be missing: most servers answer at /mcp, older ones at /sse"
      : "is its path right? most servers answer at /mcp, older ones at /sse";
  }
  const local = loopback.get(hostname);
  if (httpStatus === 403 && local !== undefined)
    return `it may answer to another name of this machine only: try ${local} for ${hostname}`;
  if (typeof httpStatus === "number" && httpStatus >= 500)
    return "that is trouble of the server's own, or of what stands before it: its logs tell more";
  return undefined;
}

// --- internal ---

const loopback: ReadonlyMap<string, string> = new Map([
  ["127.0.0.1", "localhost"],
  ["[::1]", "localhost"],
  ["localhost", "127.0.0.1"],
]);
