/**
 * Tasks of the gateway's clients: calls that go on while nobody waits for them, kept until their time is over. They are ours,
 * whatever the server makes of the call, so that clients of both forms have them in front of servers of both
 * (protocol.md 1.16). It knows neither form.
 */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { RpcError } from "../protocol/jsonrpc.ts";
import type { TaskStatus } from "../protocol/tasks.ts";
import { badParams } from "./gateway-errors.ts";

/** What became of a task: the text of the result, or the error. */
export type TaskEnd = { text: string } | { error: RpcError };

export interface TaskOptions {
  owner: string;
  /** How long it is kept, from now on. */
  ttlMs: number;
  /** How often its client is to ask. */
  pollMs: number;
  /** What its server asks and nobody has answered yet, by keys that stay. @default nothing */
  asked?: () => JsonObject;
  /** Takes the answers. */
  answer?: (responses: JsonObject) => void;
  /** The server waits for its client, which has to come and be asked. @default it never does */
  isWaiting?: () => boolean;
  /** Gives the work up. */
  giveUp: (reason: HostError) => void;
}

export interface TasksOptions {
  /** The clock in milliseconds since the epoch. @default Date.now */
  now?: (() => number) | undefined;
  /** How many there are at a time. @default 1000 */
  tasksMax?: number | undefined;
  /** Characters of all results that are kept. @default 67108864 */
  resultsMax?: number | undefined;
}

/** One task. */
export class Task {
  readonly id = crypto.randomUUID();
  #options: TaskOptions;
  readonly createdAt: number;
  readonly #now: () => number;
  readonly #ended = Promise.withResolvers<void>();
  readonly #watchers = new Set<() => void>();
  #seen: TaskStatus = "working";
  #changedAt: number;
  #end: TaskEnd | undefined;
  #isCancelled = false;

  constructor(options: TaskOptions, now: () => number) {
    this.#options = options;
    this.#now = now;
    this.createdAt = this.#changedAt = now();
  }

  /** Once it is over, only what is told of it. */
  get options(): TaskOptions {
    return this.#options;
  }

  get status(): TaskStatus {
    const { asked, isWaiting } = this.#options;
    if (this.#isCancelled) return "cancelled";
    if (this.#end !== undefined) return "error" in this.#end ? "failed" : "completed";
    const isAsking = isWaiting?.() === true || Object.keys(asked?.() ?? {}).length > 0;
    return isAsking ? "input_required" : "working";
  }

  /** When its status became what it is. */
  get changedAt(): number {
    return this.#changedAt;
  }

  /** Undefined as long as it runs, and where it was cancelled. */
  get end(): TaskEnd | undefined {
    return this.#isCancelled ? undefined : this.#end;
  }

  /** Settles when there is nothing more to wait for. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#isCancelled || this.#end !== undefined;
  }

  /** Hears of each change of its status, until disposed. The watcher never throws. */
  watch(watcher: () => void): Disposable {
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** What its server waits for may be other than before. */
  touch(): void {
    const { status } = this;
    if (status === this.#seen) return;
    this.#seen = status;
    this.#changedAt = this.#now();
    for (const watcher of this.#watchers) watcher();
  }

  finish(end: TaskEnd): void {
    this.#end = end;
    this.touch();
    this.#over();
  }

  /** What is over already stays as it is. */
  cancel(why: string): void {
    if (this.isOver) return;
    this.#isCancelled = true;
    this.touch();
    this.#options.giveUp(new HostError("cancelled", why));
    this.#over();
  }

  /** It may be kept for long: what it was made of is let go of. */
  #over(): void {
    const { owner, ttlMs, pollMs } = this.#options;
    this.#options = { owner, ttlMs, pollMs, giveUp() {} };
    this.#ended.resolve();
  }
}

export class Tasks {
  readonly #now: () => number;
  readonly #tasksMax: number;
  readonly #resultsMax: number;
  /** The oldest first, each with the timer of its end. */
  readonly #all = new Map<string, { task: Task; timer: ReturnType<typeof setTimeout> }>();

  constructor({ now = Date.now, tasksMax = 1000, resultsMax = 67_108_864 }: TasksOptions = {}) {
    this.#now = now;
    this.#tasksMax = tasksMax;
    this.#resultsMax = resultsMax;
  }

  /** Undefined where too many run. */
  add(options: TaskOptions): Task | undefined {
    const [over] = this.list().filter(({ isOver }) => isOver);
    if (this.#all.size >= this.#tasksMax && over !== undefined) this.#forget(over);
    if (this.#all.size >= this.#tasksMax) return undefined;
    const task = new Task(options, this.#now);
    const timer = setTimeout(() => {
      task.cancel("the time of the task is over");
      this.#forget(task);
    }, options.ttlMs).unref();
    this.#all.set(task.id, { task, timer });
    void task.ended.then(() => this.#bound());
    return task;
  }

  /** @throws RpcError -32602 for one that is not there, or another's: nobody can tell which */
  find(owner: string, { taskId }: JsonObject): Task {
    const found = typeof taskId === "string" ? this.#all.get(taskId)?.task : undefined;
    if (found?.options.owner !== owner) badParams("no task has this taskId, or its time is over");
    return found;
  }

  list(): Task[] {
    return Array.from(this.#all.values(), ({ task }) => task);
  }

  // --- internal ---

  #forget({ id }: Task): void {
    clearTimeout(this.#all.get(id)?.timer);
    this.#all.delete(id);
  }

  /** Lets go of the oldest results, until the others are not too many. */
  #bound(): void {
    const over = this.list().filter(({ isOver }) => isOver);
    let kept = 0;
    for (const task of over.toReversed()) {
      kept += task.end !== undefined && "text" in task.end ? task.end.text.length : 0;
      if (kept > this.#resultsMax) this.#forget(task);
    }
  }
}
