/**
 * Requests of modern clients whose servers ask before they answer (protocol.md 1.9, 2.6): what a modern server asks is handed
 * on with its state sealed, and nothing is kept of it; what a legacy one asks is asked in rounds while its request goes on,
 * in a guest of the client's own. Clients that answer nothing go straight through.
 */
import type { JsonObject } from "../base/json.ts";
import type { Answers } from "../client/answer-types.ts";
import type { InputRound } from "../client/types.ts";
import type { OpenedHost } from "../host/types.ts";
import type { Task as ServerTask } from "../protocol/tasks.ts";
import { answering, undeclaredIn } from "./gateway-capabilities.ts";
import { badParams, shownError, toRpcError } from "./gateway-errors.ts";
import { responsesIn } from "./gateway-input.ts";
import type { Ask } from "./gateway-parked-guest.ts";
import { GuestPool } from "./gateway-parked-guests.ts";
import type { GuestPoolOptions, Lent } from "./gateway-parked-guests.ts";
import { Parked } from "./gateway-parked.ts";
import { inputText, resultText } from "./gateway-results.ts";
import { RequestStates } from "./gateway-states.ts";
import type { StatesOptions } from "./gateway-states.ts";
import { handleText, takesTasks, taskOf } from "./gateway-tasks-modern.ts";
import type { Task, Tasks } from "./gateway-tasks.ts";
import type { Downstream, Guest, Question } from "./gateway-types.ts";

export interface RoundsOptions extends GuestPoolOptions, StatesOptions {
  tasks: Tasks;
  /** @default nothing is hidden */
  redact?: ((text: string) => string) | undefined;
}

/** What came of it: the text of the result, or a result of the server that asks for input. */
export type Made = { text: string } | { input: { result: JsonObject; raw: string } };

/** A request that may be asked back about. */
export interface Askable {
  /** It may go on as a task. @default false */
  mayLast?: boolean;
  /** The server that it is for; undefined where nobody knows it. */
  serverOn(question: Question, host: OpenedHost): Promise<string | undefined>;
  /** The question's signal ends it, and its client is told what comes before the answer. */
  make(question: Question, rounds?: InputRound): Promise<Made>;
}

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #guests: GuestPool;
  readonly #states: RequestStates;
  readonly #parked = new Map<string, Parked>();

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#guests = new GuestPool(options);
    this.#states = new RequestStates(options);
  }

  /** The text of the result: complete, or one that asks the client for input. @throws RpcError, HostError */
  async through(question: Question, request: Askable): Promise<string> {
    const { from, params, signal } = question;
    if (from.knows.era === "legacy")
      return await this.#told(question, await request.make(question));
    const isAgain = params.inputResponses != null || params.requestState != null;
    const capabilities = this.#apart(from);
    const lasts = request.mayLast === true && takesTasks(from);
    const isPlain = capabilities === undefined && !lasts;
    if (isPlain && !isAgain) return await this.#told(question, await request.make(question));
    const earlier = await this.#states.open(question);
    if ("parked" in earlier) return await this.#resume(question, earlier);
    const rounds = earlier;
    if (isPlain) return await this.#told(question, await request.make(question, rounds));
    const going = { request, rounds, lasts };
    if (capabilities === undefined) return await this.#goOn(question, going, async () => ({}));
    const whose = { owner: from.scope.owner, capabilities };
    using held = new DisposableStack();
    const { guest } = held.use(await this.#guests.first(whose, signal));
    const asked = behind(guest, question);
    const server = await request.serverOn(asked, guest.host);
    if (server !== undefined && guest.host.owns(server))
      return await this.#goOn(question, going, async (ask) => {
        const { logLevel } = from;
        return await this.#guests.take({ ...whose, server, logLevel, ask }, signal);
      });
    if (!lasts) return await this.#told(question, await request.make(asked, rounds));
    return await this.#goOn(question, going, async (ask) => {
      const longer = held.move();
      const answers = answersBy(ask, capabilities);
      return {
        guest: { ...guest, answersOn: () => answers },
        [Symbol.dispose]: () => longer.dispose(),
      };
    });
  }

  /** As the answer to a client that is asked nothing, but with what servers have for those who answer. @throws HostError */
  async aside(
    question: Question,
    answer: (question: Question) => Promise<string>,
  ): Promise<string> {
    const { from, signal } = question;
    const capabilities = from.knows.era === "modern" ? this.#apart(from) : undefined;
    if (capabilities === undefined) return await answer(question);
    using first = await this.#guests.first({ owner: from.scope.owner, capabilities }, signal);
    return await answer(behind(first.guest, question));
  }

  // --- internal ---

  /** What a client declares that has servers of its own; undefined for one that shares them all. */
  #apart(from: Downstream): JsonObject | undefined {
    const declared = answering(from);
    if (declared !== undefined) return declared;
    return this.#options.shared.host.keepsApart(from.scope.server) ? {} : undefined;
  }

  /** @throws RpcError -32602 */
  async #resume(
    question: Question,
    { parked: id, round }: { parked: string; round: number },
  ): Promise<string> {
    const parked = this.#parked.get(id);
    if (parked === undefined)
      badParams("what this requestState belongs to is over: it was answered, or given up");
    return await parked.resume(round, responsesIn(question.params) ?? {}, question);
  }

  /** The request may go on while its client is away: to answer, or because it is a task by then. */
  async #goOn(
    question: Question,
    { request, rounds, lasts }: { request: Askable; rounds: InputRound; lasts: boolean },
    lend: (ask: Ask) => Promise<Partial<Lent>>,
  ): Promise<string> {
    const { tasks, redact = (text) => text } = this.#options;
    const parked = new Parked({
      awayMs: this.#states.answerMs,
      ask: async (round, inputRequests) =>
        inputText({
          inputRequests,
          requestState: await this.#states.seal({ parked: parked.id, round }, question),
        }),
      onOver: () => this.#parked.delete(parked.id),
    });
    const lent = await lend((method, params, signal) => parked.ask(method, params, signal));
    this.#parked.set(parked.id, parked);
    let task: Task | undefined;
    const onTask = (made: ServerTask) => {
      task = tasks.add(taskOf(made, parked, question.from.scope.owner));
      // Where there is no room for it, the client waits for the result.
      if (task !== undefined) parked.promise(handleText(task));
    };
    const asked = { ...behind(lent.guest, question, parked), ...(lasts && { onTask }) };
    const work = async () => {
      try {
        const text = await this.#told(question, await request.make(asked, rounds));
        task?.finish({ text });
        return text;
      } catch (error) {
        const told = toRpcError(error, question.from, question.method);
        task?.finish({ error: shownError(told, redact) });
        throw error;
      } finally {
        lent[Symbol.dispose]?.();
      }
    };
    return await parked.begin(work, question);
  }

  /** The text for the client. @throws RpcError -32021, where it is asked for what it does not declare */
  async #told(question: Question, made: Made): Promise<string> {
    if ("text" in made) return made.text;
    const { result } = made.input;
    const { knows, capabilities } = question.from;
    const undeclared = undeclaredIn(result.inputRequests, capabilities);
    if (undeclared !== undefined) throw undeclared;
    const { requestState } = result;
    if (typeof requestState !== "string") return resultText(made.input, knows);
    return inputText({
      ...result,
      requestState: await this.#states.seal({ state: requestState }, question),
    });
  }
}

// --- internal ---

/** The same for the servers of a guest. */
function behind(
  guest: Guest | undefined,
  question: Question,
  { signal, notify }: Pick<Question, "signal" | "notify"> = question,
): Question {
  const { id, method, params, from } = question;
  return { id, method, params, from: { ...from, guest }, signal, notify };
}

/** Whoever asks is asked, in place of the one that the guest was opened with. */
function answersBy(ask: Ask, capabilities: JsonObject): Answers {
  return {
    relay: { capabilities, ask: (method, params, { signal }) => ask(method, params, signal) },
  };
}
