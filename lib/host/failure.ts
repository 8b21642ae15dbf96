/** Whatever was thrown on the way, as an error of ours. Decides by types and codes, never by reading messages. */
import { HostError, isHostError } from "../base/errors.ts";
import { RpcError } from "../protocol/jsonrpc.ts";

/** The server's own JSON-RPC error becomes `rpc_error` with its message, code and data kept; what is ours stays. */
export function toHostError(error: unknown, server: string, tool?: string): HostError {
  if (isHostError(error)) return error;
  const facts = { server, ...(tool !== undefined && { tool }) };
  const what = tool === undefined ? `server "${server}"` : `${tool} of server "${server}"`;
  if (error instanceof RpcError) {
    const { code: rpcCode, data: rpcData, message } = error;
    return new HostError("rpc_error", `${what} answered with error ${rpcCode}: ${message}`, {
      facts: { ...facts, rpcCode, ...(rpcData !== undefined && { rpcData }) },
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
