/** Tool calls of the gateway: through the host's one call path, results byte for byte where the client takes them so. */
import { HostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { InputRound } from "../client/types.ts";
import type { Call, Outcome } from "../hooks/call.ts";
import type { CallListener, OpenedHost, OwnedCallRequest } from "../host/opened-types.ts";
import type { Progress } from "../protocol/mcp.ts";
import type { CallBook } from "./calls-book.ts";
import { badParams } from "./gateway-errors.ts";
import type { Links } from "./gateway-links.ts";
import type { Flight, Logs } from "./gateway-logs.ts";
import { onwardMeta } from "./gateway-meta.ts";
import { madeOf } from "./gateway-outcomes.ts";
import { logTo, progressOf } from "./gateway-progress.ts";
import type { Cancellable, Made, Question, Told } from "./gateway-types.ts";
import { givenArguments } from "./given-arguments.ts";
import { tellWaiting } from "./waiting-news.ts";

export interface CallContext {
  /** What all clients have in common. */
  host: OpenedHost;
  logs: Logs;
  links: Links;
  /** @default nothing is written down */
  calls?: CallBook | undefined;
}

/** The server of a tool; undefined where nobody knows it, which its call then tells. */
export async function serverOfTool(
  { params: { name }, from, signal }: Question,
  host: OpenedHost,
): Promise<string | undefined> {
  if (from.scope.server !== undefined || typeof name !== "string") return from.scope.server;
  try {
    return (await host.resolve(name, { signal })).server;
  } catch {
    return undefined;
  }
}

/** @throws RpcError */
export function callTool(
  question: Question,
  context: CallContext,
  rounds?: InputRound,
): Promise<Made> {
  const call = new ToolCall(question, context);
  return call.outcome(rounds).then((outcome) => call.ended(outcome));
}

/** The same without a round, for one who is told. @throws RpcError */
export function tellCall(question: Question, context: CallContext, told: Told): void {
  new ToldCall(question, context, told).begin();
}

// --- internal ---

/** One call on its way. */
class ToolCall implements Flight, CallListener, Cancellable {
  readonly question: Question;
  /** As the client calls it. */
  readonly name: string;
  server: string | undefined;
  call: string | undefined;
  isQueued = true;
  before: Flight | undefined;
  after: Flight | undefined;
  readonly #context: CallContext;
  readonly #host: OpenedHost;
  readonly #id = crypto.randomUUID();
  #onProgress: ((progress: Progress) => void) | undefined;
  #waiting: Disposable | undefined;
  #isCancelled = false;

  /** @throws RpcError -32602 */
  constructor(question: Question, context: CallContext) {
    const { params, from } = question;
    if (typeof params.name !== "string") badParams("tools/call needs the name of a tool");
    this.question = question;
    this.server = from.scope.server;
    this.name = params.name;
    this.#context = context;
    this.#host = (from.guest ?? context).host;
  }

  /** What becomes of it. @throws RpcError -32602 */
  outcome(rounds?: InputRound): Promise<Outcome> {
    const request = this.#request();
    if (rounds !== undefined) request.rounds = rounds;
    const { logs, calls } = this.#context;
    logs.begin(this);
    return calls?.begin(request, this.#host).outcome ?? this.#host.call(request);
  }

  /** The same for one that hears its end. @throws RpcError -32602 */
  begin(): void {
    const request = this.#request();
    const { logs, calls } = this.#context;
    logs.begin(this);
    if (calls === undefined) this.#host.ask(request);
    else calls.begin(request, this.#host);
  }

  /** @throws RpcError */
  ended(outcome: Outcome): Made {
    this.#waiting?.[Symbol.dispose]();
    const { logs, links } = this.#context;
    logs.end(this);
    const { status } = outcome;
    if (status === "completed" && this.server !== undefined) links.note(outcome, this.server);
    return madeOf(outcome, this);
  }

  get isKnown(): boolean {
    return this.call !== undefined;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#host.cancel(this.#id, new HostError("cancelled", "the client cancelled the call"));
  }

  onWaiting(call: Call): void {
    const { question } = this;
    this.#waiting = tellWaiting(call, { onProgress: this.#onProgress, onLog: logTo(question) });
  }

  onCall({ id, server }: Call): void {
    this.#waiting?.[Symbol.dispose]();
    this.server = server;
    this.call = id;
    // What was cancelled before the host had begun it.
    if (this.#isCancelled) this.cancel();
  }

  onSent(): void {
    this.isQueued = false;
  }

  // --- internal ---

  /** @throws RpcError -32602 */
  #request(): OwnedCallRequest {
    const { question } = this;
    const { params, from, onTask, asTask, timeoutMs } = question;
    const { scope, guest, logLevel } = from;
    const args = givenArguments(params.arguments);
    if (!isObject(args)) badParams("the arguments of a tool are an object");
    const request: OwnedCallRequest = {
      tool: scope.server === undefined ? this.name : `${scope.server}/${this.name}`,
      arguments: args,
      id: this.#id,
      actor: "gateway",
      owner: scope.owner,
      admits: scope.allows,
      exact: true,
      listener: this,
    };
    // By the call's id where that will do, for signals are dear.
    if (question.onCancel === undefined) request.signal = question.signal;
    else question.onCancel(this);
    // The client of one server knows its tools by no longer name, and would call by what it is told.
    if (scope.server !== undefined) request.shownAs = this.name;
    const meta = onwardMeta(params);
    const answers = guest?.answersOn?.(question);
    this.#onProgress = progressOf(question);
    if (this.#onProgress !== undefined) request.onProgress = this.#onProgress;
    if (meta !== undefined) request.meta = meta;
    if (answers !== undefined) request.answers = answers;
    if (onTask !== undefined) request.onTask = onTask;
    if (asTask !== undefined) request.asTask = asTask;
    if (timeoutMs !== undefined) request.timeoutMs = timeoutMs;
    if (logLevel !== undefined) request.logLevel = logLevel;
    return request;
  }
}

/** One whose end is told as soon as it is known. */
class ToldCall extends ToolCall {
  readonly #told: Told;

  constructor(question: Question, context: CallContext, told: Told) {
    super(question, context);
    this.#told = told;
  }

  onEnd(outcome: Outcome): void {
    try {
      // Nobody's questions come back where no round goes with a call.
      this.#told.answered(this.ended(outcome) as string);
    } catch (error) {
      this.#told.failed(error);
    }
  }
}
