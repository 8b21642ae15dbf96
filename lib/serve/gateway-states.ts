/**
 * `requestState` of modern clients: what a request needs in its next round, sealed for its client and for that request alone
 * (protocol.md 1.9, 2.3). Nothing is kept of it.
 */
import type { InputRound } from "../client/types.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { undeclaredIn } from "./gateway-capabilities.ts";
import { badParams } from "./gateway-errors.ts";
import { purposeOf, responsesIn } from "./gateway-input.ts";
import { inputText, resultText, wholeResult } from "./gateway-results.ts";
import type { Made, Question } from "./gateway-types.ts";
import { Seal } from "./seal.ts";
import type { Bound, Unopened } from "./seal.ts";

export interface StatesOptions {
  /** How long a client may be away to answer. @default 600000 */
  answerMs?: number | undefined;
  /** A clock in ms that only goes up. @default performance.now */
  steady?: (() => number) | undefined;
}

/** The state of a modern server, or a request of ours that waits, and which of its rounds this is. */
export type State = { state: string } | { parked: string; round: number };

export class RequestStates {
  readonly answerMs: number;
  readonly #seal: Seal;

  constructor({ answerMs = 600_000, steady }: StatesOptions) {
    this.answerMs = answerMs;
    this.#seal = new Seal({ ...(steady && { now: steady }) });
  }

  /** What a client brings of an earlier round, to be sent on or to be gone on with. @throws RpcError -32602 */
  async open(question: Question): Promise<InputRound | { parked: string; round: number }> {
    const { requestState: text } = question.params;
    const inputResponses = responsesIn(question.params);
    const answers = inputResponses && { inputResponses };
    if (text == null) return { ...answers };
    if (typeof text !== "string") badParams("requestState is a string");
    const opened = await this.#seal.open(text, boundTo(question));
    if (typeof opened === "string") badParams(unopened[opened]);
    const state = opened.value as State;
    return "parked" in state ? state : { ...answers, requestState: state.state };
  }

  /** @throws RpcError -32603 */
  async seal(state: State, question: Question): Promise<string> {
    try {
      return await this.#seal.seal(state, boundTo(question), this.answerMs);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = "the requestState of the server is too large to be handed on";
      throw new RpcError({ code: internalError, message });
    }
  }

  /** The text for the client. @throws RpcError -32021, where it is asked for what it does not declare */
  async told(question: Question, made: Made): Promise<string> {
    if (typeof made === "string") return made;
    const { result } = made.input;
    const { knows, capabilities } = question.from;
    const undeclared = undeclaredIn(result.inputRequests, capabilities);
    if (undeclared !== undefined) throw undeclared;
    const { requestState } = result;
    if (typeof requestState !== "string") return resultText(made.input, knows);
    return inputText({
      ...wholeResult(result, made.input.raw),
      requestState: await this.seal({ state: requestState }, question),
    });
  }
}

// --- internal ---

const unopened: Record<Unopened, string> = {
  foreign: "this requestState was changed, or is none that this mcphost gave to this client",
  other: "this requestState belongs to another request",
  expired: "this requestState has expired: send the request again without it",
};

function boundTo(question: Question): Bound {
  const { owner } = question.from.scope;
  return { use: "requestState", owner, of: purposeOf(question) };
}
