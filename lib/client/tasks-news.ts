/** What a server tells of a task of its own accord: its status, its progress, the end of the link. It asks for nothing. */
import type { JsonObject } from "../base/json.ts";
import { readProgress } from "../protocol/progress.ts";
import type { McpClient, RequestOptions } from "./types.ts";

export interface NewsSource {
  client: Pick<McpClient, "onNotification" | "closed">;
  /** The progress token of the call that made the task, where it still is one. */
  token?: number | undefined;
}

/** Hears until it is disposed. */
export class TaskNews implements Disposable {
  readonly #taskId: string;
  readonly #token: number | undefined;
  readonly #onProgress: RequestOptions["onProgress"];
  readonly #heard: Disposable;
  #has = false;
  #onNews = () => {};
  #isLinkLost = false;

  constructor(
    taskId: string,
    { client, token }: NewsSource,
    onProgress: RequestOptions["onProgress"],
  ) {
    this.#taskId = taskId;
    this.#token = token;
    this.#onProgress = onProgress;
    this.#heard = client.onNotification((method, params) => this.#hear(method, params));
    const onClosed = () => {
      this.#isLinkLost = true;
      this.#tell();
    };
    void client.closed.then(onClosed);
  }

  get isLinkLost(): boolean {
    return this.#isLinkLost;
  }

  /** Whether there were any since it was last asked. */
  take(): boolean {
    const had = this.#has;
    this.#has = false;
    return had;
  }

  /** Resolves with the next ones. */
  next(): Promise<void> {
    return new Promise((resolve) => (this.#onNews = resolve));
  }

  [Symbol.dispose](): void {
    this.#heard[Symbol.dispose]();
  }

  // --- internal ---

  #hear(method: string, params: JsonObject): void {
    if (method === "notifications/progress") {
      if (this.#token === undefined || params.progressToken !== this.#token) return;
      const progress = readProgress(params);
      if (progress !== undefined) this.#onProgress?.(progress);
    } else if (method === "notifications/tasks/status" || method === "notifications/tasks") {
      if (params.taskId === this.#taskId) this.#tell();
    }
  }

  #tell(): void {
    this.#has = true;
    this.#onNews();
  }
}
