/** One exchange of a client: a request, dressed for its era and told what it is answered with. It is sent once. */
import type { JsonObject } from "../base/json.ts";
import type { Envelope } from "../protocol/codec.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import { PeerRequest } from "../transport/peer-request.ts";
import type { About } from "../transport/peer-request.ts";
import type { Answer } from "../transport/peer-types.ts";
import { capabilitiesOf } from "./declared.ts";
import type { Asked, Line, Watch } from "./line.ts";
import type { RequestOptions } from "./types.ts";

/** How long a request waits for its answer, where its caller says nothing. */
export const timeoutDefaultMs = 60_000;

/** Sends a request, and takes its answer as it is. @throws RpcError; HostError as `McpClient.request` */
export function exchange(line: Line, asked: Asked, options: RequestOptions): Promise<Answer> {
  const one = new AnswerExchange(line, asked, options);
  send(one);
  return one.settle.promise;
}

/** Sends it, where anything is sent at all. */
export function send(one: Exchange): void {
  const { peer, watch } = one.line;
  const refusal = watch?.refusal(one.method);
  if (refusal === undefined) peer.ask(one);
  else one.ended(refusal);
}

/** Dressed by the codec, with its own id as progress token. */
export abstract class Exchange extends PeerRequest {
  declare readonly options: RequestOptions;
  readonly line: Line;
  /** Its params, which nobody else has: they are dressed where they stand. */
  readonly own: JsonObject;

  constructor(line: Line, method: string, own: JsonObject, options: RequestOptions) {
    super(method, options, options.timeoutMs ?? timeoutDefaultMs);
    this.line = line;
    this.own = own;
  }

  get hasToken(): boolean {
    return true;
  }

  params(id: number): JsonObject {
    const { options, own } = this;
    const { codec, envelope } = this.line;
    options.onId?.(id);
    envelope.progressToken = id;
    own._meta = codec.meta(options.meta ?? own._meta, this.#dressOf(envelope));
    return own;
  }

  failed(error: Error): void {
    const { watch } = this.line;
    if (watch === undefined) this.ended(error);
    else void this.#judge(error, watch);
  }

  /** It failed, and with this error. */
  abstract ended(error: unknown): void;

  /** The connection's, with what this request says of its own; an older server knows nothing of that. */
  #dressOf(envelope: Envelope): Envelope {
    const { logLevel, answers } = this.options;
    const { codec } = this.line;
    if (codec.era === "legacy" || (logLevel === undefined && answers === undefined))
      return envelope;
    const dress: Envelope = { ...envelope };
    if (logLevel !== undefined) dress.logLevel = logLevel;
    if (answers !== undefined) dress.capabilities = capabilitiesOf(answers, codec.revision);
    return dress;
  }

  async #judge(error: Error, watch: Watch): Promise<void> {
    this.ended(await watch.failed(error, this.method));
  }
}

// --- internal ---

class AnswerExchange extends Exchange {
  readonly about: About | undefined;
  readonly settle = Promise.withResolvers<Answer>();

  constructor(line: Line, { method, params, about }: Asked, options: RequestOptions) {
    super(line, method, { ...params }, options);
    this.about = about;
  }

  answered(response: Response, text: string): void {
    this.line.watch?.answered();
    this.settle.resolve({ response, text });
  }

  ended(error: unknown): void {
    this.settle.reject(error);
  }
}
