/**
 * Requests of modern clients whose servers ask before they answer (protocol.md 1.9, 2.6): what a modern server asks is handed
 * on with its state sealed, and nothing is kept of it; what a legacy one asks is asked in rounds while its request goes on,
 * in a guest of the client's own. Clients that answer nothing go straight through.
 */
import type { JsonObject } from "../base/json.ts";
import type { InputRound } from "../client/types.ts";
import type { OpenedHost } from "../host/types.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { badParams } from "./gateway-errors.ts";
import { answering, checkAsked, purposeOf, responsesIn } from "./gateway-input.ts";
import { GuestPool } from "./gateway-parked-guests.ts";
import type { GuestPoolOptions, Whose } from "./gateway-parked-guests.ts";
import { Parked } from "./gateway-parked.ts";
import { inputText, resultText } from "./gateway-results.ts";
import type { Guest, Question } from "./gateway-types.ts";
import { Seal } from "./seal.ts";
import type { Bound, Unopened } from "./seal.ts";

export interface RoundsOptions extends GuestPoolOptions {
  /** How long a client may be away to answer. @default 600000 */
  answerMs?: number | undefined;
  /** The clock in milliseconds since the epoch. @default Date.now */
  now?: (() => number) | undefined;
}

/** What came of it: the text of the result, or a result of the server that asks for input. */
export type Made = { text: string } | { input: { result: JsonObject; raw: string } };

/** A request that may be asked back about. */
export interface Askable {
  /** The server that it is for; undefined where nobody knows it. */
  serverOn(question: Question, host: OpenedHost): Promise<string | undefined>;
  /** The question's signal ends it, and its client is told what comes before the answer. */
  make(question: Question, rounds?: InputRound): Promise<Made>;
}

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #guests: GuestPool;
  readonly #seal: Seal;
  readonly #parked = new Map<string, Parked>();

  constructor(options: RoundsOptions) {
    const { now } = options;
    this.#options = options;
    this.#guests = new GuestPool(options);
    this.#seal = new Seal({ ...(now && { now }) });
  }

  /** The text of the result: complete, or one that asks the client for input. @throws RpcError, HostError */
  async through(question: Question, request: Askable): Promise<string> {
    const { from, params, signal } = question;
    const isAgain = params.inputResponses != null || params.requestState != null;
    const capabilities = answering(from);
    if (from.knows.era === "legacy" || (capabilities === undefined && !isAgain))
      return await this.#told(question, await request.make(question));
    const earlier = await this.#earlier(question);
    if ("parked" in earlier) {
      const { parked, round } = earlier;
      return await parked.resume(round, responsesIn(params) ?? {}, question);
    }
    if (capabilities === undefined)
      return await this.#told(question, await request.make(question, earlier.rounds));
    const whose = { owner: from.scope.owner, capabilities };
    using first = await this.#guests.first(whose, signal);
    const asked = behind(first.guest, question);
    const server = await request.serverOn(asked, first.guest.host);
    if (server !== undefined && first.guest.host.owns(server))
      return await this.#park(question, { ...whose, server, ...earlier }, request);
    return await this.#told(question, await request.make(asked, earlier.rounds));
  }

  /** As the answer to a client that is asked nothing, but with what servers have for those who answer. @throws HostError */
  async aside(
    question: Question,
    answer: (question: Question) => Promise<string>,
  ): Promise<string> {
    const { from, signal } = question;
    const capabilities = from.knows.era === "modern" ? answering(from) : undefined;
    if (capabilities === undefined) return await answer(question);
    using first = await this.#guests.first({ owner: from.scope.owner, capabilities }, signal);
    return await answer(behind(first.guest, question));
  }

  // --- internal ---

  /** Goes on in a guest where the server may ask, and its client may be away to answer. */
  async #park(
    question: Question,
    { rounds, ...whose }: Whose & { server: string; rounds: InputRound },
    request: Askable,
  ): Promise<string> {
    const { answerMs = answerMsDefault } = this.#options;
    const parked = new Parked({
      awayMs: answerMs,
      ask: async (round, inputRequests) =>
        inputText({
          inputRequests,
          requestState: await this.#sealed({ parked: parked.id, round }, question),
        }),
      onOver: () => this.#parked.delete(parked.id),
    });
    const lent = await this.#guests.take(
      {
        ...whose,
        logLevel: question.from.logLevel,
        ask: (method, params, signal) => parked.ask(method, params, signal),
      },
      question.signal,
    );
    this.#parked.set(parked.id, parked);
    const work = async () => {
      using own = lent;
      const asked = behind(own.guest, question, parked);
      return await this.#told(question, await request.make(asked, rounds));
    };
    return await parked.begin(work, question);
  }

  /** What a client brings of an earlier round. @throws RpcError -32602 */
  async #earlier(
    question: Question,
  ): Promise<{ rounds: InputRound } | { parked: Parked; round: number }> {
    const { requestState: state } = question.params;
    const inputResponses = responsesIn(question.params);
    const answers = inputResponses && { inputResponses };
    if (state == null) return { rounds: { ...answers } };
    if (typeof state !== "string") badParams("requestState is a string");
    const opened = await this.#seal.open(state, boundTo(question));
    if (typeof opened === "string") badParams(unopened[opened]);
    const value = opened.value as { state: string } | { parked: string; round: number };
    if ("state" in value) return { rounds: { ...answers, requestState: value.state } };
    const parked = this.#parked.get(value.parked);
    if (parked === undefined)
      badParams("what this requestState belongs to is over: it was answered, or given up");
    return { parked, round: value.round };
  }

  /** The text for the client. @throws RpcError -32021, where it is asked for what it does not declare */
  async #told(question: Question, made: Made): Promise<string> {
    if ("text" in made) return made.text;
    const { result } = made.input;
    const { knows, capabilities = {} } = question.from;
    checkAsked(result, capabilities);
    const { requestState } = result;
    if (typeof requestState !== "string") return resultText(made.input, knows);
    return inputText({
      ...result,
      requestState: await this.#sealed({ state: requestState }, question),
    });
  }

  /** @throws RpcError -32603 */
  async #sealed(
    value: { state: string } | { parked: string; round: number },
    question: Question,
  ): Promise<string> {
    try {
      const { answerMs = answerMsDefault } = this.#options;
      return await this.#seal.seal(value, boundTo(question), answerMs);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      const message = "the requestState of the server is too large to be handed on";
      throw new RpcError({ code: internalError, message });
    }
  }
}

// --- internal ---

const answerMsDefault = 600_000;

const unopened: Record<Unopened, string> = {
  foreign: "this requestState was changed, or is none that this mcphost gave to this client",
  other: "this requestState belongs to another request",
  expired: "this requestState has expired: send the request again without it",
};

function boundTo(question: Question): Bound {
  const { owner } = question.from.scope;
  return { use: "requestState", owner, of: purposeOf(question) };
}

/** The same for the servers of a guest. */
function behind(
  guest: Guest,
  question: Question,
  { signal, notify }: Pick<Question, "signal" | "notify"> = question,
): Question {
  const { id, method, params, from } = question;
  return { id, method, params, from: { ...from, guest }, signal, notify };
}
