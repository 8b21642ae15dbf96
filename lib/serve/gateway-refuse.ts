/** A refusal over HTTP: a status, and the JSON-RPC error that says why. */
import type { RequestId, RpcError } from "../protocol/jsonrpc.ts";
import { errorText } from "./gateway-messages.ts";

/** `id`: of the request, where it could be read. */
export function refuse(
  status: number,
  error: RpcError,
  id: RequestId | null = null,
  headers: Record<string, string> = {},
): Response {
  return new Response(errorText(id, error), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });
}
