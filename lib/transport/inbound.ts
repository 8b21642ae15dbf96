/**
 * The other direction of a link: requests of the far side, answered beside our own. It knows no method; who answers is
 * given. At most `inboundMax` are worked on at once.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { internalError, methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { ErrorObject, Request, RequestId, Response } from "../protocol/jsonrpc.ts";
import type { PeerOptions } from "./peer-types.ts";

export interface Inbound {
  /** Answers a request; returns at once. */
  handle(request: Request): void;
  /** The far side no longer wants an answer to its request; says whether it was being worked on. */
  cancel(id: RequestId): boolean;
  /** The link ended: all signals fire, nothing is answered any more. */
  end(reason: unknown): void;
}

export interface InboundOptions extends Pick<PeerOptions, "onRequest"> {
  /** Hands one answer to the link; never throws. */
  respond: (response: Response) => void;
  /** Is told when the first request is taken up, and when none is left. */
  onBusy: (isBusy: boolean) => void;
  /** Requests at once; one more is refused with -32603. @default 100 */
  inboundMax?: number;
}

export function inbound(options: InboundOptions): Inbound {
  const { onRequest, respond, onBusy, inboundMax = 100 } = options;
  // Keyed with the id's type: 1 and "1" are two requests.
  const running = new Map<RequestId, AbortController>();

  const remove = (id: RequestId): void => {
    if (running.delete(id) && running.size === 0) onBusy(false);
  };

  const work = async ({ id, method, params = {} }: Request): Promise<void> => {
    const abort = new AbortController();
    if (running.size === 0) onBusy(true);
    running.set(id, abort);
    const answer = await answerOf(onRequest, { method, params, signal: abort.signal });
    if (running.get(id) === abort) remove(id);
    // Nobody waits for the answer to a cancelled request.
    if (!abort.signal.aborted) respond({ jsonrpc: "2.0", id, ...answer });
  };

  return {
    handle(request) {
      const refuse = (message: string) =>
        respond({ jsonrpc: "2.0", id: request.id, error: { code: internalError, message } });
      if (running.has(request.id)) refuse("this id is in use by a request that is still running");
      else if (running.size >= inboundMax) refuse(`busy: ${inboundMax} requests are running`);
      else void work(request);
    },
    cancel(id) {
      const abort = running.get(id);
      remove(id);
      abort?.abort(new Error("cancelled by the far side"));
      return abort !== undefined;
    },
    end(reason) {
      const all = [...running.values()];
      running.clear();
      for (const abort of all) abort.abort(reason);
    },
  };
}

// --- internal ---

interface Question {
  method: string;
  params: JsonObject;
  signal: AbortSignal;
}

async function answerOf(
  onRequest: PeerOptions["onRequest"],
  { method, params, signal }: Question,
): Promise<{ result: Json } | { error: ErrorObject }> {
  if (onRequest === undefined)
    return { error: { code: methodNotFound, message: `Method not found: ${method}` } };
  try {
    return { result: (await onRequest(method, params, signal)) ?? null };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

/** The message of what was thrown, never its stack. */
function errorOf(error: unknown): ErrorObject {
  if (error instanceof RpcError) {
    const { code, message, data } = error;
    return { code, message, ...(data !== undefined && { data }) };
  }
  return { code: internalError, message: error instanceof Error ? error.message : String(error) };
}
