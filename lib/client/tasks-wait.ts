/**
 * Waits for a task: asks how it goes as often as the server wants, answers what it asks, and returns the result as if the
 * call had been answered at once. Whoever gives up cancels it; a link that is lost, or a server that has no answer now, does
 * not, for the task may go on.
 */
import { settlesWithin } from "../base/async.ts";
import { realClock } from "../base/clock.ts";
import type { Clock } from "../base/clock.ts";
import { isObject } from "../base/json.ts";
import { memberOf } from "../base/slice.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { isTerminal, pollDelayMs, readTask, taskError } from "../protocol/tasks.ts";
import type { Task } from "../protocol/tasks.ts";
import type { TaskContext } from "./tasks-context.ts";
import {
  cancelledTaskError,
  forgottenError,
  isFault,
  isUnanswered,
  lateError,
  lostTaskError,
  strangeStatus,
  taskFault,
} from "./tasks-errors.ts";
import type { TaskPlace } from "./tasks-errors.ts";
import { answerTask } from "./tasks-input.ts";
import { TaskNews } from "./tasks-news.ts";
import type { CallReply, FinishOptions, Reply } from "./types.ts";

/**
 * An answer about the task counts as hearing of it, so the idle time runs only while none comes; the hard cap holds.
 * @throws RpcError the error that the task failed with
 * @throws HostError `timeout` · `cancelled` (by `options.signal`, and the task with it) · `uncertain` (the link was lost, with
 *   or no question was answered for a while, with `facts.taskId`) · `rpc_error` (cancelled or forgotten by the server, no task, nobody to answer)
 */
export async function waitForTask(
  task: Task,
  context: TaskContext,
  options: FinishOptions,
): Promise<CallReply> {
  const watch = new Watch(task, context, options);
  try {
    return await watch.run();
  } catch (error) {
    throw await watch.failed(error);
  } finally {
    watch.end();
  }
}

// --- internal ---

const lossesMax = 5;
/** Ctrl-C leaves servers 300 ms. */
const cancelMs = 250;
const newsMs = 50;

class Watch {
  #task: Task;
  #reply: Reply | undefined;
  readonly #context: TaskContext;
  readonly #options: FinishOptions;
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #capMs: number;
  readonly #scope = new AbortController();
  readonly #signal: AbortSignal;
  readonly #news: TaskNews;
  #isWarned = false;
  /** Keys of questions that were answered: a server may show them a while longer. */
  readonly #answered = new Set<string>();

  constructor(task: Task, context: TaskContext, options: FinishOptions) {
    const { clock = realClock } = context;
    this.#task = task;
    this.#context = context;
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock.now();
    const { timeoutMs = 60_000, timeoutMaxMs = timeoutMs * 10, signal } = options;
    this.#capMs = timeoutMaxMs;
    this.#signal = signal ? AbortSignal.any([signal, this.#scope.signal]) : this.#scope.signal;
    this.#news = new TaskNews(task.taskId, context, options.onProgress);
  }

  async run(): Promise<CallReply> {
    this.#report(this.#task);
    let isWaiting = this.#task.status === "working";
    for (let asked = 0; ; asked++) {
      if (isWaiting) await this.#pause(asked);
      const reply = await this.#ask("tasks/get");
      const task = readTask(reply.result);
      if (task === undefined || task.taskId !== this.#task.taskId)
        throw taskFault(this.#at, "is no task");
      this.#report(task);
      this.#task = { ...this.#task, ...task };
      this.#reply = reply;
      if (isTerminal(task)) return await this.#result();
      // The server sends its questions along with this, and answers when all is done.
      if (task.status === "input_required") {
        if (this.#context.client.era === "legacy") return await this.#ask("tasks/result", true);
        const { answers = this.#context.answers } = this.#options;
        const input = { ...this.#context, answers, signal: this.#signal, text: reply.raw() };
        await answerTask(this.#task, this.#answered, input);
      }
      isWaiting = true;
    }
  }

  /** The error to give, after the server was told what it has to be told. */
  async failed(error: unknown): Promise<unknown> {
    const { client } = this.#context;
    const { taskId } = this.#task;
    if (error instanceof RpcError || isTerminal(this.#task)) return error;
    if (isUnanswered(error)) return lostTaskError(this.#at, error);
    const { signal, leave = false } = this.#options;
    if (!leave) {
      const cancelled = client.request("tasks/cancel", { taskId }, { timeoutMs: 5000 });
      await settlesWithin(cancelled, cancelMs);
    }
    return signal?.aborted === true ? cancelledTaskError(this.#at, signal.reason, leave) : error;
  }

  end(): void {
    this.#news[Symbol.dispose]();
    this.#scope.abort();
  }

  /** Until the server wants to be asked again, or has told that something changed. */
  async #pause(asked: number): Promise<void> {
    const wantedMs = pollDelayMs(this.#task, asked, this.#clock.now() - this.#startedAt);
    // A server that has news with each answer is not asked without any pause.
    const delayMs = this.#news.take() ? Math.min(wantedMs, newsMs) : wantedMs;
    const scope = new AbortController();
    const signal = AbortSignal.any([this.#signal, scope.signal]);
    const sleepMs = Math.max(Math.min(delayMs, this.#leftMs()), 0);
    const slept = this.#clock.sleep(sleepMs, signal).catch(() => {});
    await Promise.race([slept, this.#news.next()]);
    scope.abort();
    // What was told until now is seen by asking.
    this.#news.take();
    if (this.#leftMs() <= 0) throw lateError(this.#at, this.#capMs, this.#options.leave);
  }

  /** Changes nothing: where it gets no answer about the task, it asks again, a few times. `isLong`: the answer is its end. */
  async #ask(method: "tasks/get" | "tasks/result", isLong = false): Promise<Reply> {
    const { taskId } = this.#task;
    const { timeoutMs = 60_000 } = this.#options;
    const isGet = method === "tasks/get";
    for (let losses = 0; ; losses++) {
      const left = Math.max(this.#leftMs(), 1);
      const idleMs = isLong ? left : Math.min(timeoutMs, left);
      const options = { timeoutMs: idleMs, timeoutMaxMs: left, signal: this.#signal };
      try {
        return await this.#context.client.request(method, { taskId }, options);
      } catch (error) {
        const mayPass = isUnanswered(error) || (isGet && isFault(error));
        if (!mayPass || this.#news.isLinkLost || losses >= lossesMax)
          throw isGet ? forgottenError(this.#at, error) : error;
        await this.#clock.sleep(Math.min(200 * 2 ** losses, left), this.#signal);
      }
    }
  }

  async #result(): Promise<CallReply> {
    const { status, statusMessage } = this.#task;
    const { client } = this.#context;
    if (status === "cancelled") {
      const why = statusMessage === undefined ? "" : `: ${statusMessage}`;
      throw taskFault(this.#at, `was cancelled by the server${why}`);
    }
    if (client.era === "legacy") return await this.#ask("tasks/result");
    if (status === "failed") throw new RpcError(taskError(this.#task));
    const { result } = this.#task.raw;
    if (!isObject(result)) throw taskFault(this.#at, "is completed and has no result");
    const whole = this.#reply;
    return {
      result,
      raw: () => memberOf(whole?.raw() ?? "", "result") ?? JSON.stringify(result),
    };
  }

  #report(task: Task): void {
    const text = this.#isWarned ? undefined : strangeStatus(this.#at, task);
    this.#isWarned ||= text !== undefined;
    if (text !== undefined) this.#context.log({ level: "warn", server: this.#at.server, text });
    const { statusMessage: message } = task;
    if (message === undefined || message === this.#task.statusMessage) return;
    const seconds = Math.round((this.#clock.now() - this.#startedAt) / 1000);
    this.#options.onProgress?.({ progress: seconds, message });
  }

  get #at(): TaskPlace {
    return { server: this.#context.name, taskId: this.#task.taskId };
  }

  #leftMs(): number {
    return this.#capMs - (this.#clock.now() - this.#startedAt);
  }
}
