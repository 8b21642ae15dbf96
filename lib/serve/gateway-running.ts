/**
 * The requests of one client that are under way on one link: an id is answered once, a cancelled request not at all
 * (protocol.md 1.1). It knows no transport.
 */
import type { JsonObject } from "../base/json.ts";
import type { Notification, Request, RequestId, RpcError } from "../protocol/jsonrpc.ts";
import { badMessage, toRpcError } from "./gateway-errors.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import type { Send } from "./gateway-questions.ts";
import type { Downstream, Gateway, Notify, Question } from "./gateway-types.ts";

/** The text of an answer; undefined where nobody waits for it any more. */
export type Answered = { text: string; isRefused: boolean } | undefined;

/**
 * Sends what comes before an answer; false where there is no way any more. What is `isNeeded` is not lost for a client that
 * is slow.
 */
export type Say = (text: string, isNeeded?: boolean) => boolean;

export interface AnswerWith {
  gateway: Gateway;
  from: Downstream;
  say: Say;
}

export class Running {
  /** Keyed with the id's type: 1 and "1" are two requests. */
  readonly #byId = new Map<RequestId, Underway>();

  get size(): number {
    return this.#byId.size;
  }

  /** Works on a request. Never rejects. */
  async answer({ id, method, params = {} }: Request, options: AnswerWith): Promise<Answered> {
    const { gateway, from, say } = options;
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return { text: errorText(id, refusal), isRefused: true };
    const underway = new Underway({ id, method, params }, from, say);
    this.#byId.set(id, underway);
    let text: string;
    try {
      text = answerText(id, await gateway.answer(underway));
    } catch (error) {
      text = errorText(id, toRpcError(error, from));
    }
    // Whoever cancels takes it away.
    if (underway.isCancelled) return undefined;
    this.#byId.delete(id);
    return { text, isRefused: false };
  }

  /** Takes what a client tells of its requests. */
  notified({ method, params = {} }: Notification): void {
    const { requestId } = params;
    if (method !== "notifications/cancelled") return;
    if (typeof requestId === "string" || typeof requestId === "number") this.#cancel(requestId);
  }

  /** Nobody waits for any of them. */
  end(): void {
    for (const id of this.#byId.keys()) this.#cancel(id);
  }

  // --- internal ---

  #refusal(id: RequestId): RpcError | undefined {
    const message = this.#byId.has(id)
      ? "this id is in use by a request that is still running"
      : this.size >= runningMax
        ? `${runningMax} requests are running: no more for now`
        : undefined;
    return message === undefined ? undefined : badMessage(message);
  }

  #cancel(id: RequestId): void {
    const underway = this.#byId.get(id);
    this.#byId.delete(id);
    underway?.cancel();
  }
}

// --- internal ---

const runningMax = 1000;

/** One request that is under way. Its signal is made when somebody wants one. */
class Underway implements Question {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly from: Downstream;
  readonly #say: Say;
  #controller: AbortController | undefined;
  #action: (() => void) | undefined;
  isCancelled = false;

  constructor(
    { id, method, params }: Required<Pick<Request, "id" | "method" | "params">>,
    from: Downstream,
    say: Say,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.from = from;
    this.#say = say;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#abort();
    return this.#controller.signal;
  }

  readonly notify: Notify = (method, params) => {
    if (!this.isCancelled) this.#say(messageText({ method, params }));
  };

  readonly ask: Send = (text) => !this.isCancelled && this.#say(text, true);

  onCancel(action: () => void): void {
    this.#action = action;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#action?.();
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new Error("cancelled by the client"));
  }
}
