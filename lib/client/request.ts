/**
 * One request of a client, from its dressing to its judged answer. It knows no method, and sends nothing again. What a server
 * wants to have before it answers is in request-more.ts.
 */
import type { Json, JsonObject } from "../base/json.ts";
import { memberOf } from "../base/slice.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import { urlElicitationRequired } from "../protocol/meta.ts";
import type { About } from "../transport/peer-request.ts";
import { Exchange, send } from "./exchange.ts";
import type { Asked, Line } from "./line.ts";
import { afterConsent, goOn, readAnswer } from "./request-more.ts";
import type { Finished, Unfinished } from "./request-more.ts";
import type { Reply, RequestOptions } from "./types.ts";

/**
 * Sends a request and goes through what its server wants first: input rounds, URLs to be visited.
 * @throws RpcError; HostError as `McpClient.request`
 */
export function request(line: Line, asked: Asked, options: RequestOptions): Promise<Reply> {
  const one = new RequestExchange(line, asked, options);
  send(one);
  return one.settle.promise;
}

/** An exchange that is told its reply, whatever more that takes. */
export abstract class ReplyExchange extends Exchange {
  /** @param own is added to: it has the params for itself */
  constructor(line: Line, method: string, own: JsonObject, options: RequestOptions) {
    // An older server knows nothing of input rounds.
    if (options.rounds !== undefined && line.codec.era !== "legacy")
      Object.assign(own, options.rounds);
    super(line, method, own, options);
  }

  answered({ result = null }: Response, text: string): void {
    const { line, method } = this;
    const { codec } = line;
    line.watch?.answered();
    if (codec.isComplete(method, result)) this.completed(new TextReply(result, text));
    else this.#undone(result, text);
  }

  ended(error: unknown): void {
    if (!(error instanceof RpcError) || error.code !== urlElicitationRequired) this.rejected(error);
    else void this.#later(afterConsent(error, this.#unfinished), false);
  }

  protected abstract completed(reply: Reply): void;
  protected abstract rejected(error: unknown): void;

  /** What is no result: questions are handed on as they came to whoever goes through the rounds, or gone through here. */
  #undone(result: Json, text: string): void {
    const read = readAnswer(result, text, this);
    const isAsked = read.decoded.kind === "input";
    if (!isAsked || this.options.rounds === undefined)
      return void this.#later(goOn(read, this.#unfinished), isAsked);
    const reply = new TextReply(result as JsonObject, text);
    reply.asked = true;
    reply.isInput = true;
    this.completed(reply);
  }

  get #unfinished(): Unfinished {
    const { line, method, own: params, about, options } = this;
    return { line, method, params, about, options };
  }

  /** What takes more than one exchange. */
  async #later(more: Promise<Finished>, isAsked: boolean): Promise<void> {
    try {
      const { result, text } = await more;
      const reply = new TextReply(result, text);
      if (isAsked) reply.asked = true;
      this.completed(reply);
    } catch (error) {
      this.rejected(error);
    }
  }
}

// --- internal ---

class RequestExchange extends ReplyExchange {
  readonly about: About | undefined;
  readonly settle = Promise.withResolvers<Reply>();

  constructor(line: Line, { method, params, about }: Asked, options: RequestOptions) {
    super(line, method, { ...params }, options);
    this.about = about;
  }

  protected completed(reply: Reply): void {
    this.settle.resolve(reply);
  }

  protected rejected(error: unknown): void {
    this.settle.reject(error);
  }
}

class TextReply implements Reply {
  readonly result: JsonObject;
  declare asked?: true;
  declare isInput?: true;
  /** The whole message. */
  readonly #text: string;
  #raw: string | undefined;

  constructor(result: JsonObject, text: string) {
    this.result = result;
    this.#text = text;
  }

  raw(): string {
    this.#raw ??= memberOf(this.#text, "result") ?? JSON.stringify(this.result);
    return this.#raw;
  }
}
