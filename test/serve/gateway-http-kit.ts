/** Messages for the gateway over HTTP. */
import { both } from "./gateway-kit.ts";
import type { AskOptions } from "./kit.ts";

/** A request that asks for tools. */
export const list = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };

/** A POST of it, which accepts both types. */
export const post = (json: unknown, headers: Record<string, string> = {}): AskOptions => ({
  json,
  headers: { accept: both, ...headers },
});
