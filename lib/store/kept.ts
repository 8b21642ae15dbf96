/**
 * A connection to a SQLite file for what every call writes: its statements are prepared once, and a transaction of them
 * runs in one go. What it commits survives the end of our process; a power cut may undo the last of it.
 */
import { Database } from "bun:sqlite";
import type { Statement } from "bun:sqlite";

import type { Write } from "./db.ts";

export class KeptStatements {
  readonly #db: Database;
  readonly #statements = new Map<string, Statement>();

  /** @param busyMs how long it waits for another process, and ours with it @throws SQLiteError */
  constructor(file: string, busyMs: number) {
    this.#db = new Database(file, { readwrite: true });
    this.#db.run(`pragma busy_timeout = ${busyMs}; pragma synchronous = normal`);
  }

  /** All or nothing. @throws SQLiteError */
  write(writes: readonly Write[]): void {
    this.#run("begin immediate");
    try {
      for (const { text, rows } of writes) {
        const statement = this.#statement(text);
        for (const row of rows) statement.run(...row);
      }
      this.#run("commit");
    } catch (error) {
      // A full disk, for one, has undone it already.
      if (this.#db.inTransaction) this.#run("rollback");
      throw error;
    }
  }

  close(): void {
    // With a statement left the file would stay open, and what is in its log would not come into it.
    for (const statement of this.#statements.values()) statement.finalize();
    this.#db.close(true);
  }

  #run(text: string): void {
    this.#statement(text).run();
  }

  #statement(text: string): Statement {
    let statement = this.#statements.get(text);
    if (statement === undefined) this.#statements.set(text, (statement = this.#db.prepare(text)));
    return statement;
  }
}
