/**
 * Hears of changes on a server for as long as somebody wants, in both eras by one interface: what breaks is opened again,
 * later each time, and what may have changed meanwhile is told as stale (protocol.md 1.10).
 */
import { realClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { internalError, methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { missingTopics } from "../protocol/subscriptions.ts";
import type { Topics, Update } from "../protocol/subscriptions.ts";
import { openSubscription } from "./subscriptions-open.ts";
import type { OpenOptions } from "./subscriptions-open.ts";

export interface FollowOptions {
  /** The server's configured name. */
  name: string;
  /** A live client: the same one as long as its link holds, or a new one. Called for each try; what it throws ends a try. */
  client: () => Promise<OpenOptions["client"]>;
  topics: Topics;
  /** Called each time that the subscription is open; `missing`: what the server does not honour, in words. */
  onOpen?: (missing: string[]) => void;
  /** `stale`: it was open before, and anything may have changed since. */
  onUpdate: (update: Update | { kind: "stale" }) => void;
  /** Ends it, and tells the server. */
  signal: AbortSignal;
  log: Log;
  /** The longest wait for an acknowledgement. @default 60000 */
  timeoutMs?: number;
  /** Tries in a row that come to nothing. @default 20, some eight minutes */
  triesMax?: number;
  /** @default the real one */
  clock?: Clock;
}

/**
 * Resolves when the server ended it in order (`ended`), or `signal` fired (`closed`).
 * @throws RpcError, HostError what the first try failed with; later, what cannot get better or the last of too many;
 *   `rpc_error` where the server honours none of the topics
 */
export async function follow(options: FollowOptions): Promise<"ended" | "closed"> {
  const { name, signal, log, clock = realClock, triesMax = 20 } = options;
  let wasOpen = false;
  let isDown = false;
  for (let tries = 0; ;) {
    const openedAt = clock.now();
    const attempt = await once(options, wasOpen);
    wasOpen ||= attempt.isOpen;
    const { ending } = attempt;
    if (ending === "closed" || signal.aborted) return "closed";
    if (ending === "ended") return "ended";
    const { error } = attempt;
    if (error !== undefined && (!wasOpen || isFinal(error))) throw error;
    // One that held for a while is a new beginning; one that breaks at once is not.
    if (attempt.isOpen && clock.now() - openedAt >= steadyMs) tries = 0;
    if (tries >= triesMax) throw error ?? broken(name, triesMax);
    const delayMs = backoffMs(tries++, clock.random());
    const reason = error instanceof Error ? error.message : "it broke";
    const text = `the subscription is opened again in ${Math.round(delayMs)} ms: ${reason}`;
    // One that merely broke is told as stale when it is open again; meanwhile nobody hears of anything.
    const isNews = error !== undefined && !isDown;
    isDown = error !== undefined;
    log({ level: isNews ? "warn" : tries === 1 ? "info" : "debug", server: name, text });
    try {
      await clock.sleep(delayMs, signal);
    } catch {
      return "closed";
    }
  }
}

// --- internal ---

const steadyMs = 10_000;
const backoffMaxMs = 30_000;

/** Half of it is left to chance, so that the clients of a server that was restarted do not all come at once. */
function backoffMs(tries: number, random: number): number {
  return Math.min(500 * 2 ** Math.min(tries, 20), backoffMaxMs) * (0.5 + random / 2);
}

interface Attempt {
  isOpen: boolean;
  ending: "ended" | "lost" | "closed";
  error?: unknown;
}

async function once(options: FollowOptions, wasOpen: boolean): Promise<Attempt> {
  const { name, topics, onUpdate, signal, timeoutMs } = options;
  let isOpen = false;
  let refusal: HostError | undefined;
  const scope = new AbortController();
  const onOpen = (honoured: Topics) => {
    isOpen = true;
    const missing = missingTopics(topics, honoured);
    const isNothing = (honoured.lists ?? []).length + (honoured.uris ?? []).length === 0;
    if (isNothing) {
      refusal = nothing(name, missing);
      return scope.abort();
    }
    if (wasOpen) onUpdate({ kind: "stale" });
    options.onOpen?.(missing);
  };
  try {
    const client = await options.client();
    const ending = await openSubscription({
      client,
      name,
      topics,
      onOpen,
      onUpdate,
      signal: AbortSignal.any([signal, scope.signal]),
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    if (refusal !== undefined) return { isOpen: false, ending: "lost", error: refusal };
    return { isOpen, ending };
  } catch (error) {
    const isUnknown = error instanceof RpcError && error.code === methodNotFound;
    return { isOpen, ending: "lost", error: isUnknown ? nothingAtAll(options, error) : error };
  }
}

const finalCodes: ReadonlySet<string> = new Set([
  "usage",
  "config",
  "denied",
  "auth_required",
  "cancelled",
  "rpc_error",
]);

/** Nothing that waiting could mend. A server that is told to come back later answers with an internal error. */
function isFinal(error: unknown): boolean {
  if (error instanceof RpcError) return error.code !== internalError;
  return !isHostError(error) || finalCodes.has(error.code);
}

function nothing(name: string, missing: string[]): HostError {
  const text = `server "${name}" tells of no changes of what was asked for: ${missing.join(", ")}`;
  return new HostError("rpc_error", text, { facts: { server: name, missing } });
}

/** It does not know how to be subscribed to. */
function nothingAtAll({ name, topics }: FollowOptions, cause: RpcError): HostError {
  const { code: rpcCode, message } = cause;
  const text = `server "${name}" has no subscriptions: it tells nobody of changes (${rpcCode}: ${message})`;
  const missing = missingTopics(topics, {});
  return new HostError("rpc_error", text, { facts: { server: name, missing, rpcCode }, cause });
}

function broken(name: string, tries: number): HostError {
  const text = `the subscription to server "${name}" broke ${tries} times in a row`;
  return new HostError("server_exit", text, { facts: { server: name, sent: true } });
}
