/**
 * Waits for decisions: this process's are told at once, another's by `LISTEN` in Postgres, and in SQLite by looking every
 * tenth of a second while somebody waits. It changes nothing.
 */
import { abortable, sleep } from "../base/async.ts";
import { debug } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import { decidedChannel } from "./approvals.ts";
import type { Db } from "./db.ts";
import type { Row } from "./rows.ts";

export class Waiting {
  readonly #db: Db;
  readonly #log: Log;
  readonly #waiting = new Map<string, Set<() => void>>();
  #listening: Promise<Subscription | undefined> | undefined;
  #looking: Promise<void> | undefined;
  readonly #scope = new AbortController();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Resolves when an approval is not `pending` any more, or is gone. Rejects with the reason of `signal`. */
  async until(id: string, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const all = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, all.add(resolve));
    try {
      if (this.#db.engine.kind === "postgres") this.#listening ??= this.#listen();
      this.#looking ??= this.#look();
      await abortable(promise, signal);
    } finally {
      all.delete(resolve);
      if (all.size === 0) this.#waiting.delete(id);
    }
  }

  /** One was decided. */
  wake(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve();
  }

  async close(): Promise<void> {
    this.#scope.abort();
    const subscription = await this.#listening;
    await subscription?.unlisten();
    await this.#looking;
  }

  async #listen(): Promise<Subscription | undefined> {
    try {
      // After a lost connection, looking finds what was told in between.
      return await this.#db.engine.sql.listen(decidedChannel, (id) => this.wake(id));
    } catch (error) {
      debug(this.#log, undefined, () => `store: it cannot listen: ${String(error)}`);
      this.#listening = undefined;
      return undefined;
    }
  }

  /** Never rejects: an approval that cannot be looked at is waited for, as long as its time lasts. */
  async #look(): Promise<void> {
    const { signal } = this.#scope;
    try {
      while (this.#waiting.size > 0 && !signal.aborted) {
        await this.#lookOnce();
        const heard = this.#db.engine.kind === "postgres" && this.#listening !== undefined;
        await sleep(heard ? heardMs : pollMs, signal);
      }
    } catch (error) {
      if (!signal.aborted) debug(this.#log, undefined, () => `store: ${String(error)}`);
    } finally {
      this.#looking = undefined;
    }
  }

  async #lookOnce(): Promise<void> {
    const ids = [...this.#waiting.keys()];
    try {
      const rows = await this.#db.read<Row[]>(
        (sql) =>
          sql`select id from mcphost_approvals where state = 'pending' and id in ${sql(ids)}`,
      );
      const pending = new Set(rows.map(({ id }) => id));
      for (const id of ids) if (!pending.has(id)) this.wake(id);
    } catch (error) {
      debug(this.#log, undefined, () => `store: ${String(error)}`);
    }
  }
}

// --- internal ---

type Subscription = Awaited<ReturnType<Db["engine"]["sql"]["listen"]>>;

const pollMs = 100;
/** Where decisions are told: for what was told while the connection was lost. */
const heardMs = 2000;
