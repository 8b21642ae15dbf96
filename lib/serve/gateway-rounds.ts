/**
 * Requests of modern clients whose servers ask before they answer (protocol.md 1.9, 2.6): what a modern server asks is handed
 * on with its state sealed, and nothing is kept of it; what a legacy one asks is asked in rounds while its request goes on,
 * in a guest of the client's own. Clients that answer nothing go straight through.
 */
import { withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Answers } from "../client/answer-types.ts";
import { answering } from "./gateway-capabilities.ts";
import { behind, Going } from "./gateway-going.ts";
import type { GoingOptions, Round } from "./gateway-going.ts";
import type { Ask } from "./gateway-parked-guest.ts";
import { GuestPool } from "./gateway-parked-guests.ts";
import type { GuestPoolOptions } from "./gateway-parked-guests.ts";
import { RequestStates } from "./gateway-states.ts";
import type { StatesOptions } from "./gateway-states.ts";
import { takesTasks } from "./gateway-tasks-modern.ts";
import type { Askable, Downstream, Question } from "./gateway-types.ts";

export type RoundsOptions = GuestPoolOptions & StatesOptions & Omit<GoingOptions, "states">;

export class Rounds {
  readonly #options: RoundsOptions;
  readonly #guests: GuestPool;
  readonly #states: RequestStates;
  readonly #going: Going;

  constructor(options: RoundsOptions) {
    this.#options = options;
    this.#guests = new GuestPool(options);
    this.#states = new RequestStates(options);
    this.#going = new Going({ ...options, states: this.#states });
  }

  /**
   * The text of the result: complete, or one that asks the client for input. Undefined: the one who is told of the question
   * hears it by itself. @throws RpcError, HostError
   */
  through(question: Question, request: Askable): Promise<string> | undefined {
    const { from, params, told } = question;
    if (from.knows.era === "modern") {
      const capabilities = this.#apart(from);
      const lasts = request.mayLast === true && takesTasks(from);
      const isAgain = params.inputResponses != null || params.requestState != null;
      if (capabilities !== undefined || lasts || isAgain)
        return this.#inRounds(question, request, { capabilities, lasts });
    }
    // Most are plain: the rest is not to cost them anything.
    if (told !== undefined && request.tell !== undefined) return void request.tell(question, told);
    // Nobody's questions come back where no round goes with a request.
    return request.make(question) as Promise<string>;
  }

  /** As the answer to a client that is asked nothing, but with what servers have for those who answer. @throws HostError */
  async aside(
    question: Question,
    answer: (question: Question) => Promise<string>,
  ): Promise<string> {
    const { from } = question;
    const capabilities = from.knows.era === "modern" ? this.#apart(from) : undefined;
    if (capabilities === undefined) return await answer(question);
    const whose = { owner: from.scope.owner, capabilities };
    using first = await this.#guests.first(whose, question.signal);
    return await answer(behind(first.guest, question));
  }

  // --- internal ---

  async #inRounds(
    question: Question,
    request: Askable,
    { capabilities, lasts }: Needs,
  ): Promise<string> {
    const rounds = await this.#states.open(question);
    if ("parked" in rounds) return await this.#going.resume(question, rounds);
    if (capabilities === undefined && !lasts)
      return await this.#states.told(question, await request.make(question, rounds));
    return await this.#byGuest(question, capabilities, { request, rounds, lasts });
  }

  /** Of a client with servers of its own, or that takes tasks. */
  async #byGuest(
    question: Question,
    capabilities: JsonObject | undefined,
    going: Round,
  ): Promise<string> {
    const { from, signal } = question;
    const { request, rounds, lasts } = going;
    if (capabilities === undefined)
      return await this.#going.begin(question, going, async () => ({}));
    const whose = { owner: from.scope.owner, capabilities };
    using held = new DisposableStack();
    const { guest } = held.use(await this.#guests.first(whose, signal));
    const asked = behind(guest, question);
    const server = await request.serverOn(asked, guest.host);
    if (server !== undefined && guest.host.owns(server))
      return await this.#going.begin(question, going, async (ask) => {
        const { logLevel } = from;
        return await this.#guests.take({ ...whose, server, logLevel, ask }, signal);
      });
    if (!lasts) return await this.#states.told(question, await request.make(asked, rounds));
    return await this.#going.begin(question, going, async (ask) => {
      const longer = held.move();
      const answers = answersBy(ask, capabilities);
      return {
        guest: { ...guest, answersOn: () => answers },
        [Symbol.dispose]: () => longer.dispose(),
      };
    });
  }

  /** What a client declares that has servers of its own; undefined for one that shares them all. */
  #apart(from: Downstream): JsonObject | undefined {
    const declared = answering(from);
    if (declared !== undefined) return declared;
    return this.#options.shared.host.keepsApart(from.scope.server) ? {} : undefined;
  }
}

// --- internal ---

/** What a request needs beside its server. */
interface Needs {
  /** Of a client with servers of its own. */
  capabilities: JsonObject | undefined;
  /** It may go on as a task. */
  lasts: boolean;
}

/** Whoever asks is asked, in place of the one that the guest was opened with. */
function answersBy(ask: Ask, capabilities: JsonObject): Answers {
  return {
    relay: {
      capabilities,
      ask: (method, params, { signal }) => ask(method, withDigits(params), signal),
    },
  };
}
