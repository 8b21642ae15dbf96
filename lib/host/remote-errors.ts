/** What an error tells of a server that is only reached: whether it is there, knows us, and may have done what it was asked. Pure. */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { RpcError } from "../protocol/jsonrpc.ts";

/** The server refused because it does not know us any more. */
export function isForgotten({ code, facts }: HostError): boolean {
  return code === "server_exit" && facts.sent === false && facts.sessionLost === true;
}

/** The server's own error, which only one that is there can send. */
export function isAnswer(error: unknown): boolean {
  return error instanceof RpcError || (isHostError(error) && error.cause instanceof RpcError);
}

/**
 * The server is not there; one that has not been heard yet is not there either where something else answers in its place,
 * or a proxy for it.
 */
export function isMissed(error: HostError, isKnown: boolean): boolean {
  const { code, facts } = isHostError(error.cause) ? error.cause : error;
  if (facts.sessionLost === true) return false;
  if (!isKnown) return unusable.has(code);
  return code === "server_exit" && facts.sent === false;
}

/** The answer broke off: the server may have done what it was asked. */
export function isBroken(error: HostError): boolean {
  const { code, facts } = isHostError(error.cause) ? error.cause : error;
  const { httpStatus = 200, sent } = facts;
  return code === "server_exit" && sent === true && httpStatus === 200;
}

// --- internal ---

const unusable: ReadonlySet<string> = new Set([
  "server_exit",
  "server_start",
  "auth_required",
  "rpc_error",
]);
