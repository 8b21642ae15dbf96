/** Messages of the gateway as texts. A result goes in as the text that it is. Pure. */
import type { JsonObject } from "../base/json.ts";
import type { RequestId, RpcError } from "../protocol/jsonrpc.ts";

/** A notification. */
export function messageText({ method, params }: { method: string; params: JsonObject }): string {
  return JSON.stringify({ jsonrpc: "2.0", method, params });
}

/** The answer to a request. */
export function answerText(id: RequestId, result: string): string {
  const own = typeof id === "number" ? id : JSON.stringify(id);
  return `{"jsonrpc":"2.0","id":${own},"result":${result}}`;
}

/** The error that a request gets; `null` where its id could not be read. */
export function errorText(
  id: RequestId | null,
  { code, message, data }: Pick<RpcError, "code" | "message" | "data">,
): string {
  return JSON.stringify({
    jsonrpc: "2.0",
    id,
    error: { code, message, ...(data !== undefined && { data }) },
  });
}
