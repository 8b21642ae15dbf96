/**
 * One request of a client, from its dressing to its judged answer. It knows no method, and sends nothing again. What a server
 * wants to have before it answers is in request-more.ts.
 */
import type { JsonObject } from "../base/json.ts";
import { sliceMember } from "../base/slice.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import { urlElicitationRequired } from "../protocol/modes.ts";
import { Exchange, send } from "./exchange.ts";
import type { Asked, Line } from "./line.ts";
import { afterConsent, goOn } from "./request-more.ts";
import type { Finished, Unfinished } from "./request-more.ts";
import type { Reply, RequestOptions } from "./types.ts";

/**
 * Sends a request and goes through what its server wants first: input rounds, URLs to be visited.
 * @throws RpcError; HostError as `McpClient.request`
 */
export function request(line: Line, asked: Asked, options: RequestOptions): Promise<Reply> {
  return send(new ReplyExchange(line, asked, options));
}

/** An exchange that is told its reply, whatever more that takes. */
export class ReplyExchange extends Exchange<Reply> {
  constructor(line: Line, asked: Asked, options: RequestOptions) {
    super(line, withRound(asked, line, options), options);
  }

  answered(response: Response, text: string): void {
    const { line, method } = this;
    line.watch?.answered();
    const decoded = line.codec.decode(method, response.result ?? null);
    if (decoded.kind === "complete") this.completed(new TextReply(decoded.result, text));
    else if (decoded.kind === "input" && this.options.rounds !== undefined)
      this.#handOn(response.result as JsonObject, text);
    else void this.#later(goOn({ decoded, text }, this.#unfinished), decoded.kind === "input");
  }

  override ended(error: unknown): void {
    if (!(error instanceof RpcError) || error.code !== urlElicitationRequired) this.rejected(error);
    else void this.#later(afterConsent(error, this.#unfinished), false);
  }

  protected completed(reply: Reply): void {
    this.settle.resolve(reply);
  }

  protected rejected(error: unknown): void {
    this.settle.reject(error);
  }

  /** The questions of the server as they came, for whoever goes through the rounds. */
  #handOn(result: JsonObject, text: string): void {
    const reply = new TextReply(result, text);
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

/** With the caller's input round, of which an older server knows nothing. */
function withRound(asked: Asked, { codec }: Line, { rounds }: RequestOptions): Asked {
  if (rounds === undefined || codec.era === "legacy") return asked;
  return { ...asked, params: { ...asked.params, ...rounds } };
}

class TextReply implements Reply {
  readonly result: JsonObject;
  declare asked?: true;
  declare isInput?: true;
  /** The whole message. */
  readonly #text: string;

  constructor(result: JsonObject, text: string) {
    this.result = result;
    this.#text = text;
  }

  raw(): string {
    return sliceMember(this.#text, "result") ?? JSON.stringify(this.result);
  }
}
