/**
 * One database, whichever it is: reads and transactions, each within a bound. It knows no tables; what differs between
 * the databases is an `Engine`.
 */
import type { SQL, TransactionSQL } from "bun";

import { isDamage } from "./sql-errors.ts";
import { withTries } from "./tries.ts";

export type Sql = SQL;
export type Transaction = TransactionSQL;

/** A value of a column. */
export type Value = string | number | null;

/** A statement and its values. Its text is one of a few, so that a database prepares it once. */
export interface Write {
  text: string;
  values: readonly Value[];
}

/** What differs between the databases. */
export interface Engine {
  readonly kind: "sqlite" | "postgres";
  /** Where it is, without credentials. */
  readonly label: string;
  readonly sql: Sql;
  /** Runs `job` in one transaction. What is committed survives a power cut, too. */
  transact<T>(job: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Writes in one transaction. What is committed survives the end of our process; a power cut may undo it. It does not
   * commit once `signal` has fired.
   */
  append(writes: readonly Write[], signal: AbortSignal): Promise<void>;
  /** The same where nobody has to wait for it. False: it must be waited for, or failed. */
  appendNow(writes: readonly Write[]): boolean;
  /** It was found to be damaged: its next opening must know. Never rejects. */
  spoilt(): Promise<void>;
  close(): Promise<void>;
}

export interface DbOptions {
  /** Milliseconds since the epoch. */
  now: () => number;
  /** How long one read or transaction may take, with all its tries. */
  waitMs: number;
}

export class Db {
  readonly engine: Engine;
  readonly now: () => number;
  readonly #tries: { label: string; waitMs: number };

  constructor(engine: Engine, { now, waitMs }: DbOptions) {
    this.engine = engine;
    this.now = now;
    this.#tries = { label: engine.label, waitMs };
  }

  /** @throws HostError `config`: within `waitMs` the database could not be asked */
  read<T>(query: (sql: Sql) => PromiseLike<T>): Promise<T> {
    return this.#watched(withTries(this.#tries, async () => await query(this.engine.sql)));
  }

  /**
   * One durable transaction. `job` may run more than once, also after it was committed, where the connection was lost: it
   * must come to the same. @throws HostError `config`, and what `job` throws of its own
   */
  write<T>(job: (tx: Transaction) => Promise<T>): Promise<T> {
    const work = withTries(this.#tries, (signal) =>
      this.engine.transact(async (tx) => {
        const result = await job(tx);
        // Nobody waits for it any more, and it was told to have failed: so it must.
        signal.throwIfAborted();
        return result;
      }),
    );
    return this.#watched(work);
  }

  /** All in one transaction, of which a power cut may undo the last. @throws HostError `config` */
  append(writes: readonly Write[]): Promise<void> {
    if (this.engine.appendNow(writes)) return Promise.resolve();
    return this.#watched(withTries(this.#tries, (signal) => this.engine.append(writes, signal)));
  }

  // --- internal ---

  async #watched<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isDamage(error)) await this.engine.spoilt();
      throw error;
    }
  }
}

/** Runs them within a transaction. */
export async function runAll(tx: Transaction, writes: readonly Write[]): Promise<void> {
  for (const { text, values } of writes) await tx.unsafe(text, [...values]);
}
