/** What a server has asked a client that may be away, each under a key of ours, until it is answered or taken back. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { QuestionRoom } from "./gateway-question-room.ts";
import { weigh } from "./weigh.ts";

export class OpenQuestions {
  readonly #onChange: () => void;
  readonly #open = new Map<string, Open>();
  readonly #room = new QuestionRoom();
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
    const chars = weigh(params, Number.POSITIVE_INFINITY);
    const refusal = this.#room.enter(chars);
    if (refusal !== undefined) return Promise.reject(refusal);
    const key = `question-${(this.#count += 1)}`;
    const over = () => {
      this.#open.delete(key);
      this.#room.leave(chars);
      signal.removeEventListener("abort", forget);
    };
    const forget = () => {
      over();
      reject(signal.reason);
      this.#onChange();
    };
    const answer = (result: JsonObject) => {
      over();
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
      if (isObject(response)) answer(response);
    }
    this.#onChange();
  }
}

// --- internal ---

interface Open {
  request: { method: string; params: JsonObject };
  answer(result: JsonObject): void;
}
