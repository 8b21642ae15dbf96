/** One guest of modern clients: what its servers ask goes to the request that they work for. It keeps none. */
import { isObject, withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Relay } from "../client/answer-types.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { behindGuest } from "./gateway-behind.ts";
import type { BehindContext } from "./gateway-behind.ts";
import type { Logs } from "./gateway-logs.ts";
import type { Guest } from "./gateway-types.ts";

/** What a server asks goes to the request that it works for. @throws RpcError the client has no answer */
export type Ask = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

/** Who asks: their guests are theirs alone. */
export interface Whose {
  owner: string;
  /** What the client declares. */
  capabilities: JsonObject;
}

/** A request that a server of a guest works for. */
export interface User {
  server: string;
  ask: Ask;
  /** What it wants to be told of logs. */
  logLevel: McpLogLevel | undefined;
}

/** A guest for as long as it is used; disposing gives it back. */
export interface Lent extends Disposable {
  guest: Guest;
  /** Gives it back, too: its server may still be at work on what was given up, and works for nobody else for a while. */
  leave(): void;
}

/** @param users who is asked, by the server, which works for one at a time */
export function relayTo(users: ReadonlyMap<string, Ask>, capabilities: JsonObject): Relay {
  return {
    capabilities,
    consents: true,
    async ask(method, params, { server, signal }) {
      const ask = users.get(server) ?? askNobody;
      return await ask(method, withoutToken(withDigits(params)), signal);
    },
  };
}

/** What it asks for is over. @throws RpcError */
export const askNobody: Ask = async () => {
  throw new RpcError({ code: internalError, message: "no request runs that could ask" });
};

/** @param relay of a client that answers; of any other only what must not be shared is its own */
export async function openGuest(
  relay: Relay | undefined,
  { logs, ...context }: BehindContext & { logs: Logs },
): Promise<Guest> {
  const answers = relay && { relay };
  const guest = behindGuest(await context.shared.host.guest(answers), context);
  const own: Guest = {
    ...guest,
    ...(answers && { answersOn: () => answers }),
    async [Symbol.asyncDispose]() {
      hearing[Symbol.dispose]();
      await guest[Symbol.asyncDispose]();
    },
  };
  const hearing = logs.hear(own);
  return own;
}

// --- internal ---

/** What a server would be told of the progress of its question is of its own hop. */
function withoutToken(params: JsonObject): JsonObject {
  const { _meta: meta, ...rest } = params;
  if (!isObject(meta)) return params;
  const { progressToken: _, ...kept } = meta;
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept };
}
