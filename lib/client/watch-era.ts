/**
 * A link to a modern server over HTTP, whose revision may change under our hands: what it refuses because it speaks
 * another one, or because it is not modern at all although it was remembered so, is reported as a link that must be made
 * anew. Nothing is sent again from here.
 */
import { HostError } from "../base/errors.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { headerMismatch, missingCapability, unsupportedVersion } from "../protocol/meta.ts";
import type { Answer, Peer } from "../transport/peer-types.ts";
import { isRefused } from "./link.ts";

export interface WatchOptions {
  /** The server's configured name. */
  name: string;
  /** It was not asked: an earlier run found it modern. */
  remembered: boolean;
  /** Asks whether it speaks what it was found to speak. @throws where that cannot be told */
  isStill: () => Promise<boolean>;
}

/**
 * The same peer, but a request that was refused for its revision fails with `server_exit` and the facts `sent: false`,
 * `sessionLost: true` and `eraLost: true`: it was not done, and may be repeated on a link that is negotiated anew.
 */
export function watchEra(peer: Peer, { name, remembered, isStill }: WatchOptions): Peer {
  let isProven = !remembered;
  let checking: Promise<boolean> | undefined;

  const isWrong = async (error: unknown, method: string): Promise<boolean> => {
    if (error instanceof RpcError && error.code === unsupportedVersion) return true;
    if (isProven || !isTelling(error, method)) return false;
    // Many may be refused at a time: one question does for all.
    checking ??= isStill();
    try {
      isProven = await checking;
      return !isProven;
    } catch {
      return false;
    } finally {
      checking = undefined;
    }
  };

  const prove = (answer: Answer): Answer => {
    isProven = true;
    return answer;
  };
  const failed = async (error: unknown, method: string): Promise<never> => {
    throw (await isWrong(error, method)) ? eraLost(name, method, error) : error;
  };

  return {
    ...peer,
    // On the path of every request: no more than it takes.
    request: (method, params, options) =>
      peer.request(method, params, options).then(prove, (error) => failed(error, method)),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

// --- internal ---

/** Whether an error may come of the wrong era: not one that only modern servers give, and not the trouble of a network. */
function isTelling(error: unknown, method: string): boolean {
  if (!(error instanceof RpcError)) return isRefused(error);
  // A call that failed inside may have been done in part.
  if (error.code === internalError && method === "tools/call") return false;
  return error.code !== headerMismatch && error.code !== missingCapability;
}

function eraLost(server: string, method: string, cause: unknown): HostError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const text = `server "${server}" does not speak the protocol revision that it was known to speak: ${reason}`;
  const facts = { server, method, sent: false, sessionLost: true, eraLost: true };
  return new HostError("server_exit", text, { facts, cause });
}
