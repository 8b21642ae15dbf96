/**
 * One call that runs as a task of a client of 2025-11-25: what its server asks is asked on the request that waits for the
 * result, and what it tells goes beside all requests (protocol.md 1.16).
 */
import type { HostError } from "../base/errors.ts";
import { isObject, parseJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { toRpcError } from "./gateway-errors.ts";
import type { Task, TaskOptions } from "./gateway-task.ts";
import type { Downstream, Legacy, Question } from "./gateway-types.ts";

/** What runs behind a task, for the client that it is of. */
export class Run implements TaskOptions {
  readonly owner: string;
  readonly ttlMs: number;
  readonly pollMs = 500;
  readonly from: Downstream;
  readonly #abort = new AbortController();
  #isWaiting = false;
  #waiter: Question | undefined;

  constructor({ from }: Pick<Question, "from">, { ttl }: JsonObject) {
    this.owner = from.scope.owner;
    this.ttlMs = typeof ttl === "number" && ttl > 0 ? Math.min(ttl, ttlMaxMs) : ttlDefaultMs;
    this.from = from;
  }

  readonly giveUp = (reason: HostError) => this.#abort.abort(reason);
  readonly isWaiting = () => this.#isWaiting;

  /** Makes the call, and ends the task with it. Never rejects. */
  async begin(
    task: Task,
    { id, method, params, from }: Question,
    call: (question: Question) => Promise<string> | undefined,
  ): Promise<void> {
    const { task: _, ...rest } = params;
    const { aside } = from;
    const background: Question = {
      id,
      method,
      params: rest,
      from,
      signal: this.#abort.signal,
      asTask: true,
      timeoutMs: this.ttlMs,
      notify: (name, given) => aside?.notify(name, given),
      ask: (text) => this.#ask(text, task),
    };
    using _watching = task.watch(() => aside?.notify("notifications/tasks/status", fieldsOf(task)));
    aside?.tasks.add(task);
    try {
      // Nobody is told but by the promise.
      task.finish({ text: (await call(background)) as string });
    } catch (error) {
      task.finish({ error: toRpcError(error, from, method) });
    } finally {
      aside?.tasks.delete(task);
    }
  }

  /** From now on it is asked on that request. */
  wait(question: Question, task: Task): Disposable {
    this.#waiter = question;
    this.#isWaiting = false;
    task.touch();
    const { questions } = this.from as Partial<Legacy>;
    questions?.flush();
    return {
      [Symbol.dispose]: () => {
        if (this.#waiter === question) this.#waiter = undefined;
      },
    };
  }

  /** On the request that waits for the result; without one the client is told by the status to come. */
  #ask(text: string, task: Task): boolean {
    const isSent = this.#waiter?.ask?.(relatedText(text, "params", task)) === true;
    this.#isWaiting = !isSent;
    task.touch();
    return isSent;
  }
}

/** The task as its client is shown it. */
export function fieldsOf(task: Task): JsonObject {
  const { id, createdAt, changedAt, options, end, status } = task;
  // Only here a result that is an error is a failure.
  const isError = end !== undefined && "text" in end && isErrorText(end.text);
  return {
    taskId: id,
    status: isError ? "failed" : status,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(changedAt).toISOString(),
    ttl: options.ttlMs,
    pollInterval: options.pollMs,
  };
}

/** The text of a message or a result with the name of the task in its `_meta`. */
export function relatedText(text: string, at: "params" | undefined, { id }: Task): string {
  const whole = parseJson(text);
  const part = at === undefined ? whole : isObject(whole) ? whole[at] : undefined;
  if (!isObject(whole) || !isObject(part)) return text;
  const { _meta: meta } = part;
  const named = {
    ...part,
    _meta: { ...(isObject(meta) && meta), [relatedTask]: { taskId: id } },
  };
  return JSON.stringify(at === undefined ? named : { ...whole, [at]: named });
}

// --- internal ---

/** How long a task is kept where its client does not say, and at most, in milliseconds. */
const ttlDefaultMs = 3_600_000;
const ttlMaxMs = 86_400_000;
const relatedTask = "io.modelcontextprotocol/related-task";

function isErrorText(text: string): boolean {
  // Looked at as a whole only where the word is in it.
  if (!text.includes('"isError"')) return false;
  const result = parseJson(text);
  return isObject(result) && result.isError === true;
}
