/**
 * Requests of modern clients that go on while their clients are away: to answer what a legacy server asks, or for as long as
 * a task takes. A request is found again by its `requestState` (protocol.md 1.9, 1.16).
 */
import { isObject } from "../base/json.ts";
import type { InputRound } from "../client/types.ts";
import type { RpcError } from "../protocol/jsonrpc.ts";
import type { Task as ServerTask } from "../protocol/tasks.ts";
import { badParams, shownError, toRpcError } from "./gateway-errors.ts";
import { responsesIn } from "./gateway-input.ts";
import type { Ask, Lent } from "./gateway-parked-guest.ts";
import { Parked } from "./gateway-parked.ts";
import { inputText } from "./gateway-results.ts";
import type { RequestStates } from "./gateway-states.ts";
import type { Task } from "./gateway-task.ts";
import { handleText, taskOf } from "./gateway-tasks-modern.ts";
import type { Tasks } from "./gateway-tasks.ts";
import type { Askable, Guest, Question } from "./gateway-types.ts";

export interface GoingOptions {
  states: RequestStates;
  tasks: Tasks;
  /** @default nothing is hidden */
  redact?: ((text: string) => string) | undefined;
}

/** A request in one of its rounds. */
export interface Round {
  request: Askable;
  rounds: InputRound;
  /** It may go on as a task. */
  lasts: boolean;
}

export class Going {
  readonly #options: GoingOptions;
  readonly #parked = new Map<string, Parked>();

  constructor(options: GoingOptions) {
    this.#options = options;
  }

  /** @throws RpcError -32602 */
  async resume(
    question: Question,
    { parked: id, round }: { parked: string; round: number },
  ): Promise<string> {
    const parked = this.#parked.get(id);
    if (parked === undefined)
      badParams("what this requestState belongs to is over: it was answered, or given up");
    return await parked.resume(round, responsesIn(question.params) ?? {}, question);
  }

  /** The request may go on while its client is away: to answer, or because it is a task by then. */
  async begin(
    question: Question,
    { request, rounds, lasts }: Round,
    lend: (ask: Ask) => Promise<Partial<Lent>>,
  ): Promise<string> {
    const { states, tasks, redact = (text) => text } = this.#options;
    let task: Task | undefined;
    const parked = new Parked({
      awayMs: states.answerMs,
      ask: async (round, inputRequests) =>
        inputText({
          inputRequests,
          requestState: await states.seal({ parked: parked.id, round }, question),
        }),
      onAsked: () => task?.touch(),
      onOver: () => this.#parked.delete(parked.id),
    });
    const lent = await lend((method, params, signal) =>
      parked.questions.ask(method, params, signal),
    );
    this.#parked.set(parked.id, parked);
    const onTask = (made: ServerTask) => {
      task = tasks.add(taskOf(made, parked, question.from.scope.owner));
      // Where there is no room for it, the client waits for the result.
      if (task !== undefined) parked.promise(handleText(task));
    };
    const asked = { ...behind(lent.guest, question, parked), ...(lasts && { onTask }) };
    const work = async () => {
      let isLeft = false;
      try {
        const text = await states.told(question, await request.make(asked, rounds));
        task?.finish({ text });
        return text;
      } catch (error) {
        const told = toRpcError(error, question.from, question.method);
        isLeft = wasGivenUp(told);
        task?.finish({ error: shownError(told, redact) });
        throw error;
      } finally {
        if (isLeft && lent.leave !== undefined) lent.leave();
        else lent[Symbol.dispose]?.();
      }
    };
    return await parked.begin(work, question);
  }
}

/** No answer came: its server may go on with it, and ask about it. */
function wasGivenUp({ data }: RpcError): boolean {
  return isObject(data) && (data.code === "cancelled" || data.code === "timeout");
}

/** The same for the servers of a guest. */
export function behind(
  guest: Guest | undefined,
  question: Question,
  { signal, notify }: Pick<Question, "signal" | "notify"> = question,
): Question {
  const { id, method, params, from } = question;
  return { id, method, params, from: { ...from, guest }, signal, notify };
}
