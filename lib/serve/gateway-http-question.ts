/** One modern request over HTTP, and the answer to it, in one object: there is one for every request. */
import type { JsonObject } from "../base/json.ts";
import type { Request, RequestId } from "../protocol/jsonrpc.ts";
import { missingCapability } from "../protocol/meta.ts";
import { accepts } from "./gateway-accept.ts";
import { answerText, errorText, messageText } from "./gateway-messages.ts";
import { HttpReply } from "./gateway-reply.ts";
import type { ReplyWorld } from "./gateway-reply.ts";
import type { Cancellable, Downstream, Gateway, Notify, Question, Told } from "./gateway-types.ts";
import type { Exchange, Leaver, ServeContext } from "./types.ts";

export interface HttpWorld extends ReplyWorld {
  gateway: Gateway;
  context: ServeContext;
}

/** Its stream is its own; who leaves has cancelled it. */
export class ModernQuestion extends HttpReply implements Question, Told, Leaver {
  declare readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly from: Downstream;
  readonly #gateway: Gateway;
  #signal: AbortSignal | undefined;
  #work: Cancellable | undefined;

  constructor(
    { id, method, params = {} }: Request,
    exchange: Exchange,
    from: Downstream,
    world: HttpWorld,
  ) {
    super(id, exchange, world);
    this.method = method;
    this.params = params;
    this.from = from;
    this.#gateway = world.gateway;
  }

  /** It is answered by a stream that lasts. */
  get isStream(): boolean {
    return this.method === "subscriptions/listen";
  }

  override get mayStream(): boolean {
    return accepts(this.exchange.request.headers.get("accept"), "text/event-stream");
  }

  /** A stream ends with who may have it; what is answered once is answered. */
  get signal(): AbortSignal {
    const { exchange } = this;
    return (this.#signal ??= this.isStream ? exchange.left : exchange.request.signal);
  }

  get notify(): Notify {
    return (method, params) => void this.say(messageText({ method, params }));
  }

  get told(): Told {
    return this;
  }

  onCancel(work: Cancellable): void {
    this.#work = work;
    this.exchange.onLeave(this);
  }

  left(): void {
    this.#work?.cancel();
  }

  /** @throws HttpError 503 */
  override begin(): void {
    super.begin();
    if (this.isStream) this.open();
    this.#gateway.answer(this);
  }

  answered(result: string): void {
    this.#end(answerText(this.id, result));
  }

  failed(error: unknown): void {
    const fault = this.#gateway.faultOf(error, this);
    this.#end(errorText(this.id, fault), fault.code === missingCapability);
  }

  // --- internal ---

  #end(text: string, isRefused?: boolean): void {
    this.finish(text, isRefused);
    if (this.#work !== undefined) this.exchange.onLeave(undefined);
  }
}
