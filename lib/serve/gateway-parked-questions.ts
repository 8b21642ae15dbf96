/** What a server has asked a client that may be away, each under a key of ours, until it is answered or taken back. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";

export class OpenQuestions {
  readonly #onChange: () => void;
  readonly #open = new Map<string, Open>();
  #count = 0;

  /** @param onChange is called when there are others than before */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#open.size;
  }

  /** As they came, by keys that stay. */
  get asked(): JsonObject {
    return Object.fromEntries(Array.from(this.#open, ([key, { request }]) => [key, request]));
  }

  /** The client's result. @throws RpcError too many are open; the reason of `signal`, which takes it back */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    if (this.#open.size >= questionsMax) {
      const message = `${questionsMax} questions are open: no more for now`;
      return Promise.reject(new RpcError({ code: internalError, message }));
    }
    const key = `question-${(this.#count += 1)}`;
    const forget = () => {
      this.#open.delete(key);
      reject(signal.reason);
      this.#onChange();
    };
    const answer = (result: JsonObject) => {
      signal.removeEventListener("abort", forget);
      resolve(result);
    };
    this.#open.set(key, { request: { method, params }, answer });
    signal.addEventListener("abort", forget, { once: true });
    this.#onChange();
    return promise;
  }

  /** Takes answers to what was asked; what else is in it is nobody's. */
  answer(responses: JsonObject): void {
    for (const [key, { answer }] of this.#open) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined;
      if (!isObject(response)) continue;
      this.#open.delete(key);
      answer(response);
    }
    this.#onChange();
  }
}

// --- internal ---

/** At a time: more than a person would answer. */
const questionsMax = 100;

interface Open {
  request: { method: string; params: JsonObject };
  answer(result: JsonObject): void;
}
