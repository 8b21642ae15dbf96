/** One exchange of a client: a request, dressed for its era and told what it is answered with. It is sent once. */
import type { JsonObject } from "../base/json.ts";
import type { Envelope } from "../protocol/codec.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import { PeerRequest } from "../transport/peer-request.ts";
import type { About } from "../transport/peer-request.ts";
import type { Answer } from "../transport/peer-types.ts";
import { capabilitiesOf } from "./answers.ts";
import type { Asked, Line, Watch } from "./line.ts";
import type { RequestOptions } from "./types.ts";

/** How long a request waits for its answer, where its caller says nothing. */
export const timeoutDefaultMs = 60_000;

/** Sends a request, and takes its answer as it is. @throws RpcError; HostError as `McpClient.request` */
export function exchange(line: Line, asked: Asked, options: RequestOptions): Promise<Answer> {
  return send(new AnswerExchange(line, asked, options));
}

/** Sends it, where anything is sent at all. */
export function send<T>(one: Exchange<T>): Promise<T> {
  const { peer, watch } = one.line;
  const refusal = watch?.refusal(one.method);
  if (refusal === undefined) peer.ask(one);
  else one.ended(refusal);
  return one.settle.promise;
}

/** Dressed by the codec, with its own id as progress token. */
export abstract class Exchange<T> extends PeerRequest {
  declare readonly options: RequestOptions;
  readonly line: Line;
  /** Its own params: before they are dressed. */
  readonly own: JsonObject;
  readonly settle = Promise.withResolvers<T>();
  readonly #about: About | undefined;

  constructor(line: Line, { method, params, about }: Asked, options: RequestOptions) {
    super(method, options, options.timeoutMs ?? timeoutDefaultMs);
    this.line = line;
    this.own = params;
    this.#about = about;
  }

  override get about(): About | undefined {
    return this.#about;
  }

  get hasToken(): boolean {
    return true;
  }

  params(id: number): JsonObject {
    const { meta, logLevel, answers } = this.options;
    const { codec, envelope } = this.line;
    this.options.onId?.(id);
    const own = meta === undefined ? this.own : { ...this.own, _meta: meta };
    envelope.progressToken = id;
    // An older server knows nothing of the rest.
    if (codec.era === "legacy" || (logLevel === undefined && answers === undefined))
      return codec.params(own, envelope);
    const dress: Envelope = { ...envelope };
    if (logLevel !== undefined) dress.logLevel = logLevel;
    if (answers !== undefined) dress.capabilities = capabilitiesOf(answers, codec.revision);
    return codec.params(own, dress);
  }

  failed(error: Error): void {
    const { watch } = this.line;
    if (watch === undefined) this.ended(error);
    else void this.#judge(error, watch);
  }

  /** It failed, and with this error. */
  ended(error: unknown): void {
    this.settle.reject(error);
  }

  async #judge(error: Error, watch: Watch): Promise<void> {
    this.ended(await watch.failed(error, this.method));
  }
}

// --- internal ---

class AnswerExchange extends Exchange<Answer> {
  answered(response: Response, text: string): void {
    this.line.watch?.answered();
    this.settle.resolve({ response, text });
  }
}
