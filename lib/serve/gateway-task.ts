/** One task of a gateway's client, from its beginning to its end (protocol.md 1.16). It knows neither form, and who keeps it. */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { RpcError } from "../protocol/jsonrpc.ts";
import type { TaskStatus } from "../protocol/tasks.ts";

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
