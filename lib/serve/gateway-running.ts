/**
 * The requests of one client that are under way on one link: an id is answered once, a cancelled request not at all
 * (protocol.md 1.1). It knows no transport.
 */
import { Chain } from "../base/chain.ts";
import type { Linked } from "../base/chain.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { isSameId } from "../protocol/jsonrpc.ts";
import type { Notification, Request, RequestId, RpcError } from "../protocol/jsonrpc.ts";
import { badMessage } from "./gateway-errors.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import type { Send } from "./gateway-questions.ts";
import type { Cancellable, Downstream, Gateway, Notify, Question, Told } from "./gateway-types.ts";

/** Where a request came from, and its answer goes. */
export interface ReplyTo {
  /** What comes before the answer; false where there is no way any more. What is `isNeeded` is not lost for a client that is slow. */
  say(text: string, isNeeded?: boolean): boolean;
  /** The answer; undefined where nobody waits for it any more. `isRefused`: the request may not come so. */
  finish(text: string | undefined, isRefused?: boolean): void;
}

export class Running {
  readonly #all = new Chain<Underway>();
  /** The same by what their ids have in common. */
  readonly #buckets: (Underway | undefined)[] = [];

  get size(): number {
    return this.#all.size;
  }

  /** Works on a request, and replies to it. */
  answer(underway: Underway, gateway: Gateway): void {
    const { id, reply } = underway;
    const refusal = this.#refusal(id);
    if (refusal !== undefined) return reply.finish(errorText(id, refusal), true);
    this.#add(underway);
    underway.begin(gateway, this);
  }

  /** It was answered. */
  over(underway: Underway): void {
    this.#delete(underway);
  }

  /** Takes what a client tells of its requests. */
  notified({ method, params = {} }: Notification): void {
    const { requestId } = params;
    if (method !== "notifications/cancelled") return;
    const underway = this.#find(requestId);
    if (underway !== undefined) this.#cancel(underway);
  }

  /** Nobody waits for any of them. */
  end(): void {
    for (const underway of this.#all.all()) this.#cancel(underway);
  }

  // --- internal ---

  #refusal(id: RequestId): RpcError | undefined {
    const message = this.#find(id)
      ? "this id is in use by a request that is still running"
      : this.size >= runningMax
        ? `${runningMax} requests are running: no more for now`
        : undefined;
    return message === undefined ? undefined : badMessage(message);
  }

  /** With the id's type: 1 and "1" are two requests. */
  #find(id: Json | undefined): Underway | undefined {
    let underway = this.#buckets[bucketOf(id)];
    while (underway !== undefined && !isSameId(underway.id, id)) underway = underway.next;
    return underway;
  }

  #add(underway: Underway): void {
    this.#all.add(underway);
    const at = bucketOf(underway.id);
    underway.next = this.#buckets[at];
    this.#buckets[at] = underway;
  }

  #delete(underway: Underway): void {
    this.#all.delete(underway);
    const at = bucketOf(underway.id);
    let before = this.#buckets[at];
    if (before === underway) this.#buckets[at] = underway.next;
    else {
      while (before !== undefined && before.next !== underway) before = before.next;
      if (before !== undefined) before.next = underway.next;
    }
    underway.next = undefined;
  }

  #cancel(underway: Underway): void {
    this.#delete(underway);
    underway.cancel();
  }
}

/** One request that is under way. Its signal is made when somebody wants one, and so is all else that few do. */
export class Underway implements Question, Told, Linked<Underway> {
  before: Underway | undefined;
  after: Underway | undefined;
  /** The next one of its bucket. */
  next: Underway | undefined;
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly from: Downstream;
  readonly reply: ReplyTo;
  #gateway: Gateway | undefined;
  #running: Running | undefined;
  #controller: AbortController | undefined;
  #work: Cancellable | undefined;
  isCancelled = false;

  constructor({ id, method, params = {} }: Request, from: Downstream, reply: ReplyTo) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.from = from;
    this.reply = reply;
  }

  begin(gateway: Gateway, running: Running): void {
    this.#gateway = gateway;
    this.#running = running;
    gateway.answer(this);
  }

  get told(): Told {
    return this;
  }

  answered(result: string): void {
    this.#end(answerText(this.id, result));
  }

  failed(error: unknown): void {
    const fault = this.#gateway?.faultOf(error, this);
    this.#end(fault && errorText(this.id, fault));
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isCancelled) this.#abort();
    return this.#controller.signal;
  }

  get notify(): Notify {
    return (method, params) => {
      if (!this.isCancelled) this.reply.say(messageText({ method, params }));
    };
  }

  get ask(): Send {
    return (text) => !this.isCancelled && this.reply.say(text, true);
  }

  onCancel(work: Cancellable): void {
    this.#work = work;
  }

  cancel(): void {
    this.isCancelled = true;
    this.#work?.cancel();
    this.#abort();
  }

  // --- internal ---

  /** Whoever cancels takes it away. */
  #end(text: string | undefined): void {
    if (!this.isCancelled) this.#running?.over(this);
    this.reply.finish(this.isCancelled ? undefined : text);
  }

  #abort(): void {
    this.#controller?.abort(new Error("cancelled by the client"));
  }
}

// --- internal ---

const runningMax = 1000;

/** Ids of one bucket may be the same; most are numbers, one behind the other. */
function bucketOf(id: unknown): number {
  if (typeof id === "number") return id & 63;
  return typeof id === "string" ? 64 + (id.charCodeAt(id.length - 1) & 31) : 96;
}
