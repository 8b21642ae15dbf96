/**
 * A link over HTTP to a server that may change what it speaks under our hands: what it refuses because it speaks another
 * revision now, or is of the other era, is reported as a link that must be made anew. Nothing is sent again from here.
 */
import { HostError } from "../base/errors.ts";
import { internalError, invalidParams, methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { headerMismatch, missingCapability, unsupportedVersion } from "../protocol/meta.ts";
import type { Watch } from "./line.ts";
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
 * Watches a modern server: a request that was refused for its revision fails with `server_exit` and the facts
 * `sent: false`, `sessionLost: true` and `eraLost: true`: it was not done, and may be repeated on a link that is
 * negotiated anew. Where it may have been done, its own error stays, and the requests after it fail so.
 */
export function watchEra({ name, remembered, isStill }: WatchOptions): Watch {
  let isProven = !remembered;
  let checking: Promise<boolean> | undefined;
  /** What has shown that the server is not modern any more. */
  let sign: unknown;

  const isWrong = async (error: unknown, method: string): Promise<boolean> => {
    if (error instanceof RpcError && error.code === unsupportedVersion) return true;
    if (isProven ? !isDoubtful(error) : !isTelling(error, method)) return false;
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

  return {
    refusal: (method) => (sign === undefined ? undefined : eraLost(name, method, sign)),
    answered() {
      isProven = true;
    },
    async failed(error, method) {
      const wasProven = isProven;
      if (!(await isWrong(error, method))) return error;
      sign = error;
      return wasProven && mayBeDone(error, method) ? error : eraLost(name, method, error);
    },
  };
}

export interface LegacyOptions {
  /** The server's configured name. */
  name: string;
  /** How many requests in a row have failed, with this one. */
  failures: number;
  /** Asks whether it is modern. @throws where that cannot be told */
  isModern: () => Promise<boolean>;
}

/**
 * The error of a request that failed on a link to a legacy server, which may be modern by now: as `watchEra` has it where
 * its refusal says so, or the server itself, being asked.
 */
export async function legacyFailure(
  error: Error,
  method: string,
  { name, failures, isModern }: LegacyOptions,
): Promise<Error> {
  const code = error instanceof RpcError ? error.code : undefined;
  // A legacy server may use a modern code for something of its own, which was done: it is asked all the same.
  const isSign = modernCodes.has(code) || isRefused(error);
  // That `_meta` is missing is said by the code of arguments that are wrong, which is worth a question now and then alone.
  if (!isSign && (code !== invalidParams || failures % 2 === 1)) return error;
  try {
    return (await isModern()) ? eraLost(name, method, error) : error;
  } catch {
    return error;
  }
}

// --- internal ---

/** Whether an error may come of the wrong era: not one that only modern servers give, and not the trouble of a network. */
function isTelling(error: unknown, method: string): boolean {
  if (!(error instanceof RpcError)) return isRefused(error);
  // A call that failed inside may have been done in part.
  if (error.code === internalError && method === "tools/call") return false;
  return !modernCodes.has(error.code);
}

/** What only modern servers say, to what they did not do. */
const modernCodes = new Set<unknown>([unsupportedVersion, headerMismatch, missingCapability]);

/** Whether an error may come of the wrong era where the right one has answered before: as legacy servers refuse a stranger. */
function isDoubtful(error: unknown): boolean {
  if (!(error instanceof RpcError)) return isRefused(error);
  const { code } = error;
  return code === -32600 || code === methodNotFound || sdkCodes.has(code);
}

/** What SDKs say to a request without a session; some tools fail so, too. */
const sdkCodes = new Set([-32000, -32001]);

function mayBeDone(error: unknown, method: string): boolean {
  return method === "tools/call" && error instanceof RpcError && sdkCodes.has(error.code);
}

function eraLost(server: string, method: string, cause: unknown): HostError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const text = `server "${server}" does not speak the protocol revision that it was known to speak: ${reason}`;
  const facts = { server, method, sent: false, sessionLost: true, eraLost: true };
  return new HostError("server_exit", text, { facts, cause });
}
