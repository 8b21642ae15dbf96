/**
 * One database, whichever it is: reads and transactions, each within a bound. It knows no tables; what differs between
 * the databases is an `Engine`.
 */
import type { SQL, TransactionSQL } from "bun";

import { isDamage } from "./sql-errors.ts";
import { withTries } from "./tries.ts";

export type Sql = SQL;
export type Transaction = TransactionSQL;

/** What differs between the databases. */
export interface Engine {
  readonly kind: "sqlite" | "postgres";
  /** Where it is, without credentials. */
  readonly label: string;
  readonly sql: Sql;
  /**
   * Runs `job` in one transaction. `isDurable`: what is committed survives a power cut, too; else the end of our process
   * alone.
   */
  transact<T>(job: (tx: Transaction) => Promise<T>, isDurable: boolean): Promise<T>;
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
    return this.#transaction(job, true);
  }

  /** As `write`, but a power cut may undo what was written last. */
  append<T>(job: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#transaction(job, false);
  }

  // --- internal ---

  #transaction<T>(job: (tx: Transaction) => Promise<T>, isDurable: boolean): Promise<T> {
    const work = withTries(this.#tries, (signal) =>
      this.engine.transact(async (tx) => {
        const result = await job(tx);
        // Nobody waits for it any more, and it was told to have failed: so it must.
        signal.throwIfAborted();
        return result;
      }, isDurable),
    );
    return this.#watched(work);
  }

  async #watched<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isDamage(error)) await this.engine.spoilt();
      throw error;
    }
  }
}
