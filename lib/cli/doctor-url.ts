/** What kept a server from being reached, as a word for programs. Decides by the facts of the error. Pure; a part of the doctor. */
import type { HostError } from "../base/errors.ts";

/** The word for a failure on the way to a server, or in what it answered. */
export function urlFailureCode({ code, facts }: HostError): string {
  if (code === "auth_required") return code;
  const { httpStatus, timeoutMs, rpcCode, certificate } = facts;
  if (certificate !== undefined) return "certificate";
  if (httpStatus !== undefined) return "http-status";
  if (rpcCode !== undefined) return "refused";
  if (timeoutMs !== undefined) return "silent";
  return facts["errno"] === undefined ? "start" : "unreachable";
}
