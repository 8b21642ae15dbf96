/**
 * One request of a modern client that goes on while its client is away, to answer what a legacy server asks, or because it is
 * a task by then. What the server asks is told in rounds, as it came, and each round is taken up once. It knows no host.
 */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { badParams } from "./gateway-errors.ts";
import { OpenQuestions } from "./gateway-parked-questions.ts";
import type { Notify, Question } from "./gateway-types.ts";

export interface ParkedOptions {
  /** The result that asks the client for input, in a round. @throws RpcError */
  ask: (round: number, inputRequests: JsonObject) => Promise<string>;
  /** How long the client may be away before the request is cancelled. */
  awayMs: number;
  /** What the server waits for is other than before. */
  onAsked: () => void;
  /** It is over, and its client knows, or has not come back. */
  onOver: () => void;
}

export class Parked {
  readonly id = crypto.randomUUID();
  readonly #options: ParkedOptions;
  readonly #abort = new AbortController();
  /** What the server asks, and waits for. */
  readonly questions: OpenQuestions;
  #round = 0;
  #client: Client | undefined;
  #ended: (() => Promise<string>) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ParkedOptions) {
    this.#options = options;
    this.questions = new OpenQuestions(() => {
      options.onAsked();
      this.#tell();
    });
  }

  /** Fires when the request is given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Tells the client something, if it is there. */
  readonly notify: Notify = (method, params) => {
    const { question } = this.#client ?? {};
    if (question === undefined) return;
    if (method !== "notifications/progress") return question.notify(method, params);
    // Each round may have a token of its own.
    const { _meta: meta } = question.params;
    const progressToken = isObject(meta) ? meta.progressToken : undefined;
    if (progressToken !== undefined) question.notify(method, { ...params, progressToken });
  };

  /** Begins the work; its client waits for what comes first: the end of it, or a question. @throws what `work` throws */
  begin(work: () => Promise<string>, question: Question): Promise<string> {
    const answer = this.#wait(question);
    work().then(
      (text) => this.#settle(async () => text),
      (error: unknown) => this.#settle(() => Promise.reject(error)),
    );
    return answer;
  }

  /** Its client is told that it goes on, and waits no more: from now on nobody asks it by rounds, and its time is not ours. */
  promise(text: string): void {
    this.#settle(async () => text);
  }

  giveUp(reason: HostError): void {
    this.#abort.abort(reason);
  }

  /** The client is back with its answers; what it did not answer it is asked again. @throws RpcError, as `begin` */
  resume(round: number, responses: JsonObject, question: Question): Promise<string> {
    if (round !== this.#round || this.#client !== undefined)
      badParams("this requestState was used before: each is for one request");
    // Whoever comes second with it is late.
    this.#round += 1;
    this.questions.answer(responses);
    return this.#wait(question);
  }

  // --- internal ---

  /** What the client is told in the end, once. */
  #settle(outcome: () => Promise<string>): void {
    this.#ended ??= outcome;
    this.#tell();
  }

  #wait(question: Question): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    clearTimeout(this.#timer);
    const { signal } = question;
    const leave = () => this.giveUp(new HostError("cancelled", "the client has left"));
    this.#client = {
      question,
      give(text) {
        signal.removeEventListener("abort", leave);
        resolve(text);
      },
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    this.#tell();
    return promise;
  }

  /** The client is told what there is to tell, at once or as soon as all of a round is there. */
  #tell(): void {
    if (this.#client === undefined) return;
    if (this.#ended !== undefined) {
      this.#take()?.give(this.#ended());
      this.#options.onOver();
    } else if (this.questions.size > 0) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#askClient(), gatherMs);
    }
  }

  #askClient(): void {
    // What it asked it may have taken back.
    if (this.questions.size === 0) return;
    const client = this.#take();
    this.#round += 1;
    const asking = this.#options.ask(this.#round, this.questions.asked);
    // It cannot come back with what it was not told.
    asking.catch(() => this.#expire());
    client?.give(asking);
    this.#timer = setTimeout(() => this.#expire(), this.#options.awayMs).unref();
  }

  #take(): Client | undefined {
    const client = this.#client;
    this.#client = undefined;
    clearTimeout(this.#timer);
    return client;
  }

  #expire(): void {
    const why = "the client did not come back with its answers in time";
    if (this.#ended === undefined) this.giveUp(new HostError("cancelled", why));
    this.#options.onOver();
  }
}

// --- internal ---

/** What the server asks within that time is one round. */
const gatherMs = 10;

/** The request of the client that waits now. */
interface Client {
  question: Question;
  give(text: string | Promise<string>): void;
}
