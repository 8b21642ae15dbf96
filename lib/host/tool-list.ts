/**
 * The list of tools of one server, kept until the server says that it changed or is another process. However many changes
 * are told, it is fetched only when somebody wants it, and never twice at the same time; a change that is told while it is
 * being fetched makes it stale again.
 */
import type { McpClient, ToolList } from "../client/types.ts";

/** One fetched list. */
export interface FetchedTools extends ToolList {
  /** When the fetch began, on the clock of `performance.now`. */
  at: number;
}

type Fetch = (client: McpClient) => Promise<ToolList>;

export class ToolCache {
  readonly #fetch: Fetch;
  #changes = 0;
  #kept: Stamped<FetchedTools> | undefined;
  #running: Stamped<Promise<FetchedTools>> | undefined;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  /** The last list, stale or not. */
  get last(): FetchedTools | undefined {
    return this.#kept?.value;
  }

  /** True where `get` would not have to fetch. */
  isFresh(client: McpClient): boolean {
    return this.#isCurrent(this.#kept, client);
  }

  /** Marks everything fetched so far as stale. True if something was not stale before: a burst is news once. */
  changed(): boolean {
    const stamps = [this.#kept?.change, this.#running?.change];
    return stamps.includes(this.#changes++);
  }

  /** The list of this connection, no older than the last change told before. @throws as the fetch */
  async get(client: McpClient): Promise<FetchedTools> {
    while (true) {
      const [kept, running] = [this.#kept, this.#running];
      if (this.#isCurrent(kept, client)) return kept.value;
      if (this.#isCurrent(running, client)) return await running.value;
      if (this.#running === undefined) return await this.#start(client);
      // Begun before the last change, or for another process: waited for, so that it is not fetched twice at a time.
      await this.#running.value.catch(() => {});
    }
  }

  #isCurrent<T>(stamped: Stamped<T> | undefined, client: McpClient): stamped is Stamped<T> {
    return stamped?.client === client && stamped.change === this.#changes;
  }

  #start(client: McpClient): Promise<FetchedTools> {
    const stamp = { client, change: this.#changes };
    const run = async (): Promise<FetchedTools> => {
      const at = performance.now();
      try {
        const value = { ...(await this.#fetch(client)), at };
        this.#kept = { ...stamp, value };
        return value;
      } finally {
        this.#running = undefined;
      }
    };
    const value = run();
    this.#running = { ...stamp, value };
    return value;
  }
}

// --- internal ---

/** Of which connection, and after how many changes. */
interface Stamped<T> {
  client: McpClient;
  change: number;
  value: T;
}
