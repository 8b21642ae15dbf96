/** Whatever was thrown on the way, as an error of ours. Decides by types and codes, never by reading messages. */
import { HostError, isHostError } from "../base/errors.ts";
import type { Facts } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import { unsupported } from "../client/answers.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { missingCapability, urlElicitationRequired } from "../protocol/meta.ts";

/** The server's own JSON-RPC error becomes `rpc_error` with its message, code and data kept; what is ours stays. */
export function toHostError(error: unknown, server: string, tool?: string): HostError {
  if (isHostError(error)) return error;
  const facts = { server, ...(tool !== undefined && { tool }) };
  const what = tool === undefined ? `server "${server}"` : `${tool} of server "${server}"`;
  if (error instanceof RpcError) {
    const { code: rpcCode, data: rpcData } = error;
    const remedy = remedyOf(error);
    return new HostError("rpc_error", `${what} answered with error ${saidIn(error)}`, {
      facts: { ...facts, rpcCode, ...(rpcData !== undefined && { rpcData }), ...remedy?.facts },
      ...(remedy && { hint: remedy.hint }),
      cause: error,
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new HostError("rpc_error", `${what}: ${reason}`, {
    facts,
    hint: "this is not the server's fault; please report it",
    cause: error,
  });
}

/**
 * Why there is no list: what it was wanted for was not sent. A server that does not answer in time cannot be
 * used, which is `server_start`.
 */
export function toListError(thrown: unknown, server: string, method = "tools/list"): HostError {
  const error =
    thrown instanceof RpcError ? refusal(thrown, server, method) : toHostError(thrown, server);
  const { code, message, hint, facts } = error;
  return new HostError(code === "timeout" ? "server_start" : code, message, {
    facts: { ...facts, sent: false },
    ...(hint !== undefined && { hint }),
    cause: error,
  });
}

/** Of a list whose later pages failed, where it is only looked into. */
export function partialText(what: string, { message }: Error): string {
  return `not all of its ${what} are known: ${message}`;
}

// --- internal ---

function saidIn({ code, message }: RpcError): string {
  return `${code}: ${message === "" ? "(an error without a message)" : message}`;
}

/** What would let a server go on that must ask somebody, and was told that nobody is there (protocol.md 1.18). */
function remedyOf({ code, data, message }: RpcError): { hint: string; facts: Facts } | undefined {
  if (code === urlElicitationRequired)
    return {
      hint: "a page must be visited first, and nobody is here to whom it could be shown",
      facts: { option: "elicitUrl" },
    };
  const required =
    code === missingCapability && isObject(data) ? data.requiredCapabilities : undefined;
  const isMissing = isObject(required) && required.elicitation !== undefined;
  // Our own words, handed back.
  const isOurs = code === methodNotFound && message === unsupported("elicitation/create");
  if (!isMissing && !isOurs) return undefined;
  return { hint: "it has to ask somebody, and nobody here answers", facts: { option: "answers" } };
}

function refusal(error: RpcError, server: string, method: string): HostError {
  const { code: rpcCode, data: rpcData } = error;
  const text = `server "${server}" answered ${method} with error ${saidIn(error)}`;
  const facts = {
    server,
    method,
    rpcCode,
    ...(rpcData !== undefined && { rpcData }),
  };
  return new HostError("rpc_error", text, { facts, cause: error });
}
