/**
 * What an error says to do, in the words of the command line: below this room nobody knows of flags, and an error names the
 * option of the host that would help. Pure.
 */
import type { Facts, HostError } from "../base/errors.ts";

/** The hint of an error, with the flag that sets what it names. */
export function hintOf({ code, facts, hint }: HostError): string | undefined {
  if (hint === undefined) return undefined;
  const isUnknown = code === "auth_required" && facts.httpStatus === 401;
  const option = hint.includes("Authorization: Basic") ? "basic" : "headers";
  return withFlag(hint, isUnknown ? { ...facts, option } : facts);
}

/** A text, with the flag that sets the option which the facts name. */
export function withFlag(text: string, { option, tool = "NAME" }: Facts): string {
  const flag = typeof option === "string" ? flags.get(option) : undefined;
  return flag === undefined ? text : `${text} (${flag.replace("TOOL", tool)})`;
}

// --- internal ---

const flags: ReadonlyMap<string, string> = new Map([
  ["timeoutMs", "--timeout"],
  ["startTimeoutMs", "or name a longer --timeout"],
  ["headers", "--header 'Authorization: Bearer …'"],
  ["basic", "--header 'Authorization: Basic …'"],
  ["policy", "--allow-tool TOOL, or --wait-approval to wait for an answer"],
  ["answers", "call it on a terminal, or with --elicit JSON"],
  ["elicitUrl", "call it on a terminal"],
  ["validate", "--no-validate"],
  ["detach", "without --detach"],
]);
