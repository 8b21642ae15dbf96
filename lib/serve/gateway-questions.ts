/**
 * What we ask a legacy client in the name of its servers: requests with ids of our own, each answered once, on the stream
 * that it belongs to or beside. It reads neither the questions nor the answers.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import type { RequestId, Response } from "../protocol/jsonrpc.ts";
import { messageText } from "./gateway-messages.ts";
import { QuestionRoom } from "./gateway-question-room.ts";

/** Sends one message that may not be lost; false where there is no way to the client now. */
export type Send = (text: string) => boolean;

export interface AskOptions {
  /** Takes the question back. */
  signal: AbortSignal;
  /** The stream of the request that it belongs to. @default beside all requests */
  on?: Send | undefined;
  /** Is given the client's progress, under the token that the question came with. */
  onProgress: (params: JsonObject) => void;
}

export class Questions {
  readonly #aside: Send;
  readonly #answerMs: number;
  readonly #open = new Map<RequestId, Open>();
  readonly #room = new QuestionRoom();
  #count = 0;
  /** The client was greeted and has said so: before that nothing is asked (lifecycle of the specification). */
  #isGreeted = false;

  /**
   * @param aside asks beside all requests
   * @param answerMs how long the client may take for an answer. @default 600000
   */
  constructor(aside: Send, answerMs: number | undefined = 600_000) {
    this.#aside = aside;
    this.#answerMs = answerMs;
  }

  /** The client's result. @throws RpcError the client's error, or ours where there is no answer; `signal.reason` */
  ask(method: string, params: JsonObject, options: AskOptions): Promise<JsonObject> {
    const { signal, on, onProgress } = options;
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    if (signal.aborted) return Promise.reject(signal.reason);
    const id = (this.#count += 1);
    const { params: asked, token } = underToken(params, id);
    const text = JSON.stringify({ jsonrpc: "2.0", id, method, params: asked });
    const refusal = this.#room.enter(text.length);
    if (refusal !== undefined) return Promise.reject(refusal);
    const takeBack = (reason: unknown) => {
      const open = this.#take(id);
      if (open === undefined) return;
      if (open.isSent) {
        const why = reason instanceof Error ? { reason: reason.message } : {};
        const told = messageText({
          method: "notifications/cancelled",
          params: { requestId: id, ...why },
        });
        if (on?.(told) !== true) this.#aside(told);
      }
      reject(reason);
    };
    const onAbort = () => takeBack(signal.reason);
    const timer = setTimeout(
      () => takeBack(ours(`${method} was not answered within ${this.#answerMs} ms`)),
      this.#answerMs,
    ).unref();
    signal.addEventListener("abort", onAbort, { once: true });
    const open: Open = {
      text,
      on,
      progressed: (progress) =>
        token !== undefined && onProgress({ ...progress, progressToken: token }),
      isSent: false,
      resolve,
      reject,
      over: () => {
        this.#room.leave(text.length);
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
      },
    };
    this.#open.set(id, open);
    if (this.#isGreeted) this.#send(open);
    return promise;
  }

  /** The client has answered. What nobody asked is nobody's. */
  answered({ id, result, error }: Response): void {
    const open = id === null || id === undefined ? undefined : this.#take(id);
    if (open === undefined) return;
    if (error !== undefined) open.reject(new RpcError(error));
    else if (isObject(result)) open.resolve(result);
    else open.reject(ours("the client's answer is none"));
  }

  /** The client tells how far it is with an answer. */
  progressed(params: JsonObject): void {
    const { progressToken: id } = params;
    if (typeof id === "number") this.#open.get(id)?.progressed(params);
  }

  /** The client has been heard of since it was greeted, or there is a new way to it: what waits is sent. */
  flush(): void {
    this.#isGreeted = true;
    for (const open of this.#open.values()) if (!open.isSent) this.#send(open);
  }

  /** The client has left. */
  end(): void {
    for (const id of this.#open.keys()) this.#take(id)?.reject(ours("the client has left"));
  }

  // --- internal ---

  #send(open: Open): void {
    open.isSent = open.on?.(open.text) === true || this.#aside(open.text);
  }

  #take(id: RequestId): Open | undefined {
    const open = this.#open.get(id);
    this.#open.delete(id);
    open?.over();
    return open;
  }
}

// --- internal ---

interface Open extends Pick<AskOptions, "on"> {
  text: string;
  isSent: boolean;
  progressed(params: JsonObject): void;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
  /** Stops listening and waiting. */
  over(): void;
}

/** The question with a progress token of ours, its id, in place of the server's, which means nothing to others. */
function underToken(
  params: JsonObject,
  id: number,
): { params: JsonObject; token?: JsonObject[string] } {
  const { _meta: meta } = params;
  if (!isObject(meta) || meta.progressToken === undefined) return { params };
  return {
    params: { ...params, _meta: { ...meta, progressToken: id } },
    token: meta.progressToken,
  };
}

function ours(message: string): RpcError {
  return new RpcError({ code: internalError, message });
}
