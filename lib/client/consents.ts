/**
 * Error -32042 of revision 2025-11-25: the server cannot go on until the person visited some URLs (protocol.md 1.14). They
 * are asked for one after the other, and waited for within a bound; the request itself is sent again elsewhere, once.
 */
import { sleep } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { RpcError } from "../protocol/jsonrpc.ts";
import type { AnswerOptions } from "./answer-types.ts";
import { visitUrl } from "./elicitation.ts";
import type { Inbound } from "./inbound.ts";

export interface ConsentOptions extends Omit<AnswerOptions, "signal"> {
  signal?: AbortSignal | undefined;
  listen: Inbound["listen"];
  /** How long the server may take to tell that all was done; then the request is sent again all the same. */
  waitMs: number;
}

/**
 * Returns when the request may be sent again.
 * @throws RpcError the same, where there is no consent, or nothing that could be asked
 * @throws HostError `cancelled`
 */
export async function consents(needed: RpcError, options: ConsentOptions): Promise<void> {
  const { listen, waitMs, signal = new AbortController().signal } = options;
  const asked = elicitationsIn(needed);
  if (asked.length === 0 || asked.length > askedMax) throw needed;
  const ids = asked.map(({ elicitationId }) => elicitationId).filter((id) => id !== undefined);
  const completions = new Map(ids.map((id) => [id, Promise.withResolvers<void>()]));
  // From here on: it may be done before the last question is answered. Ids that are not ours say nothing.
  using _listening = listen((method, { elicitationId }) => {
    if (method === "notifications/elicitation/complete")
      completions.get(elicitationId ?? null)?.resolve();
  });
  const waits: Promise<void>[] = [];
  for (const params of asked) {
    const completed = completions.get(params.elicitationId ?? null)?.promise;
    const { action, done } = await visitUrl(params, {
      ...options,
      signal,
      ...(completed && { completed }),
    });
    if (action !== "accept") throw needed;
    if (done !== true && completed) waits.push(completed);
  }
  await allWithin(waits, waitMs, signal);
  if (signal.aborted)
    throw new HostError(
      "cancelled",
      `waiting for what server "${options.name}" asked for was cancelled`,
      {
        facts: { server: options.name },
        cause: signal.reason,
      },
    );
}

// --- internal ---

/** More than a person would visit. */
const askedMax = 20;

/** Resolves when all do, the time is up, or the signal fires. */
async function allWithin(waits: Promise<void>[], ms: number, signal: AbortSignal): Promise<void> {
  if (waits.length === 0) return;
  const stop = new AbortController();
  const timeUp = sleep(ms, AbortSignal.any([signal, stop.signal])).catch(() => {});
  await Promise.race([Promise.all(waits), timeUp]);
  stop.abort();
}

/** Those in URL mode; in any other a request of its own would ask. */
function elicitationsIn({ data }: RpcError): JsonObject[] {
  const listed = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const found = listed.filter(isObject);
  const others = listed.filter((one) => !isObject(one) || (one.mode ?? "url") !== "url");
  return others.length === 0 ? found : [];
}
