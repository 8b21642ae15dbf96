/**
 * The list of tools of one server, kept until the server says that it changed or is another process. However many changes
 * are told, it is fetched only when somebody wants it, and never twice at the same time; a change that is told while it is
 * being fetched makes it stale again.
 */
import { isObject } from "../base/json.ts";
import type { McpClient, ToolList } from "../client/types.ts";

/** One fetched list. */
export interface FetchedTools extends ToolList {
  /** When the fetch began, on the clock of `performance.now`; of one that was begun ahead, when it was first wanted. */
  at: number;
}

/**
 * `mayBeKept`: a list that an earlier run kept would do, for nobody asked for a new one and nothing tells that it changed.
 * Such a list says `at` itself, so that it counts as older than any question.
 */
type Fetch = (client: McpClient, mayBeKept: boolean) => Promise<ToolList & { at?: number }>;

/** `listing`: the list itself is wanted, so that one whose time is over is fetched anew (protocol.md 1.11). */
interface GetOptions {
  listing?: boolean;
}

/** A server without a tool says that this may change: what it is a bridge to may not be there yet. */
export function mayFill({ tools }: ToolList, { capabilities }: McpClient): boolean {
  const { tools: declared } = capabilities;
  return tools.length === 0 && isObject(declared) && declared.listChanged === true;
}

/** A list of that age is hardly wrong. */
const recentMs = 60_000;

export class ToolCache {
  readonly #fetch: Fetch;
  readonly #forgetKept: () => void;
  readonly #onOther: () => void;
  #changes = 0;
  #kept: Stamped<FetchedTools> | undefined;
  #running: Stamped<Promise<FetchedTools>> | undefined;
  /** What was begun before somebody asked. */
  #begun: Stamped<Promise<FetchedTools>> | undefined;
  /** Resolves at the next change behind the begin of the last fetch. */
  #told = Promise.withResolvers<void>();

  /**
   * @param forgetKept forgets what was kept of it for later runs
   * @param onOther another process, or another session, has other tools than the one before it
   */
  constructor(fetch: Fetch, forgetKept: () => void = () => {}, onOther: () => void = () => {}) {
    this.#fetch = fetch;
    this.#forgetKept = forgetKept;
    this.#onOther = onOther;
  }

  /** The last list, stale or not. */
  get last(): FetchedTools | undefined {
    return this.#kept?.value;
  }

  /** A list is on its way. */
  get isFetching(): boolean {
    return this.#running !== undefined;
  }

  /** True where `get` would not have to fetch. */
  isFresh(client: McpClient): boolean {
    return this.#isCurrent(this.#kept, client);
  }

  /** Marks everything fetched so far as stale. True if something was not stale before: a burst is news once. */
  changed(): boolean {
    const stamps = [this.#kept?.change, this.#running?.change];
    this.#told.resolve();
    return stamps.includes(this.#changes++);
  }

  /** The last list is older than the server allows, or than what was fetched of late: another run may have kept it. */
  get isOld(): boolean {
    const { freshUntil = Infinity, at = 0 } = this.last ?? {};
    if (freshUntil === Infinity) return false;
    return performance.now() >= Math.min(freshUntil, at + recentMs);
  }

  /** The server's answer shows that the list may have changed: where it keeps a time, that is over. */
  doubt(): void {
    if (this.last?.freshUntil !== undefined) this.forget();
  }

  /** The list is wrong, one that was kept from an earlier run too. */
  forget(): void {
    this.changed();
    this.#forgetKept();
  }

  /** Fetches the list ahead: whoever asks first gets what came of that, an error too. */
  begin(client: McpClient): void {
    if (this.#running !== undefined || this.#kept !== undefined) return;
    this.#start(client, false).catch(() => {});
    this.#begun = this.#running;
  }

  /**
   * The list of this connection, no older than the last change told before. Who only calls a tool takes it however old:
   * the server tells what is wrong, and then it is fetched anew. @throws as the fetch
   */
  async get(client: McpClient, { listing = false }: GetOptions = {}): Promise<FetchedTools> {
    const begun = this.#begun;
    this.#begun = undefined;
    if (this.#isCurrent(begun, client)) await this.#asked(begun.value);
    while (true) {
      const [kept, running] = [this.#kept, this.#running];
      if (this.#isCurrent(running, client)) return await running.value;
      if (this.#isCurrent(kept, client) && !(listing && isExpired(kept.value))) return kept.value;
      if (this.#running === undefined) return await this.#start(client, listing);
      // Begun before the last change, or for another process: waited for, so that it is not fetched twice at a time.
      await this.#running.value.catch(() => {});
    }
  }

  /** It was begun for this question, so that it is no older. What an earlier run kept is. */
  async #asked(begun: Promise<FetchedTools>): Promise<void> {
    const askedAt = performance.now();
    const list = await begun;
    if (list.at !== -Infinity) list.at = askedAt;
  }

  #isCurrent<T>(stamped: Stamped<T> | undefined, client: McpClient): stamped is Stamped<T> {
    return stamped?.client === client && stamped.change === this.#changes;
  }

  #start(client: McpClient, listing: boolean): Promise<FetchedTools> {
    const stamp = { client, change: this.#changes };
    const mayBeKept = !listing && this.#changes === 0 && this.#kept === undefined;
    const run = async (): Promise<FetchedTools> => {
      try {
        let value = await this.#fetched(client, mayBeKept);
        const before = this.#kept;
        const isFirst = before?.client !== client && value.at !== -Infinity;
        if (isFirst && mayFill(value, client)) {
          const { whenFilled } = await import("./late-tools.ts");
          value = await whenFilled(client, {
            fetch: () => {
              stamp.change = this.#changes;
              return this.#fetched(client, false);
            },
            changed: () => this.#told.promise,
          });
        }
        this.#kept = { ...stamp, value };
        const isTold = before === undefined || before.change !== stamp.change;
        if (!isTold && before.client !== client && isOther(before.value, value)) this.#onOther();
        return value;
      } finally {
        this.#running = undefined;
      }
    };
    const value = run();
    this.#running = Object.assign(stamp, { value });
    return value;
  }

  async #fetched(client: McpClient, mayBeKept: boolean): Promise<FetchedTools> {
    this.#told = Promise.withResolvers();
    const at = performance.now();
    return { at, ...(await this.#fetch(client, mayBeKept)) };
  }
}

// --- internal ---

/** One that is not whole is over at once. */
function isExpired({ freshUntil = Infinity, failure }: ToolList): boolean {
  return failure !== undefined || performance.now() >= freshUntil;
}

function isOther(before: ToolList, after: ToolList): boolean {
  return JSON.stringify(before.tools) !== JSON.stringify(after.tools);
}

/** Of which connection, and after how many changes. */
interface Stamped<T> {
  client: McpClient;
  change: number;
  value: T;
}
