/** A request whose answer is a promise. */
import type { JsonObject } from "../base/json.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import { PeerRequest } from "./peer-request.ts";
import type { PeerRequestOptions } from "./peer-request.ts";
import type { Answer, Peer } from "./peer-types.ts";

type Params = Parameters<Peer["request"]>[1];

export class PromisedRequest extends PeerRequest {
  readonly #params: Params;
  readonly #settle = Promise.withResolvers<Answer>();

  /** As `Peer.request`. */
  constructor(method: string, params: Params, options: PeerRequestOptions) {
    super(method, options, options.timeoutMs);
    this.#params = params;
  }

  get about(): undefined {
    return undefined;
  }

  get promise(): Promise<Answer> {
    return this.#settle.promise;
  }

  get hasToken(): boolean {
    return typeof this.#params === "function";
  }

  params(id: number): JsonObject {
    return typeof this.#params === "function" ? this.#params(id) : this.#params;
  }

  answered(response: Response, text: string): void {
    this.#settle.resolve({ response, text });
  }

  failed(error: Error): void {
    this.#settle.reject(error);
  }
}
