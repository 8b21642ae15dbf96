/**
 * Tasks of the gateway's clients: calls that go on while nobody waits for them, kept until their time is over. They are ours,
 * whatever the server makes of the call, so that clients of both forms have them in front of servers of both
 * (protocol.md 1.16). It knows neither form.
 */
import type { JsonObject } from "../base/json.ts";
import { isWithinShare } from "../base/share.ts";
import { badParams } from "./gateway-errors.ts";
import { Task } from "./gateway-task.ts";
import type { TaskOptions } from "./gateway-task.ts";

export interface TasksOptions {
  /** The clock in milliseconds since the epoch. @default Date.now */
  now?: (() => number) | undefined;
  /** How many there are at a time. @default 1000 */
  tasksMax?: number | undefined;
  /** Characters of all results that are kept. @default 67108864 */
  resultsMax?: number | undefined;
  /** There are several owners: none of them is to have all. @default there is one */
  isShared?: (() => boolean) | undefined;
}

export class Tasks {
  readonly #now: () => number;
  readonly #tasksMax: number;
  readonly #resultsMax: number;
  readonly #isShared: () => boolean;
  /** The oldest first, each with the timer of its end. */
  readonly #all = new Map<string, { task: Task; timer: ReturnType<typeof setTimeout> }>();

  constructor(options: TasksOptions = {}) {
    const { now = Date.now, tasksMax = 1000, resultsMax = 67_108_864, isShared } = options;
    this.#now = now;
    this.#tasksMax = tasksMax;
    this.#resultsMax = resultsMax;
    this.#isShared = isShared ?? (() => false);
  }

  /** Undefined where too many run, or as many as the owner may have. */
  add(options: TaskOptions): Task | undefined {
    const { owner } = options;
    if (!this.#hasRoom(owner)) {
      const over = this.#losable(owner).find(({ isOver }) => isOver);
      if (over !== undefined) this.#forget(over);
      if (!this.#hasRoom(owner)) return undefined;
    }
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

  #hasRoom(owner: string): boolean {
    const [size, max] = [this.#all.size, this.#tasksMax];
    if (size >= max || !this.#isShared()) return size < max;
    return isWithinShare({ own: this.#of(owner).length, size, max });
  }

  #of(owner: string): Task[] {
    return this.list().filter(({ options }) => options.owner === owner);
  }

  /** What may go so that an owner has room: its own, of several. The oldest first. */
  #losable(owner: string): Task[] {
    return this.#isShared() ? this.#of(owner) : this.list();
  }

  /** Lets go of results, until the others are not too many: the oldest of the owner that has most. */
  #bound(): void {
    const kept = this.list().filter((task) => weightOf(task) > 0);
    const held = new Map<string, number>();
    let total = 0;
    const add = ({ options: { owner } }: Task, weight: number) => {
      held.set(owner, (held.get(owner) ?? 0) + weight);
      total += weight;
    };
    for (const task of kept) add(task, weightOf(task));
    while (total > this.#resultsMax) {
      const [most] = [...held].toSorted(([, one], [, other]) => other - one)[0] ?? [];
      const at = kept.findIndex(({ options: { owner } }) => owner === most);
      for (const task of kept.splice(at, 1)) {
        add(task, -weightOf(task));
        this.#forget(task);
      }
    }
  }
}

// --- internal ---

/** Characters of its result. */
function weightOf({ end }: Task): number {
  return end !== undefined && "text" in end ? end.text.length : 0;
}
