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

  /** @param pragmas how it waits, and how much its log may hold @throws SQLiteError */
  constructor(file: string, pragmas: readonly string[]) {
    this.#db = new Database(file, { readwrite: true });
    for (const pragma of pragmas) this.#db.run(pragma);
    this.#db.run("pragma synchronous = normal");
  }

  /** All or nothing. @throws SQLiteError */
  write(writes: readonly Write[]): void {
    this.#run("begin immediate");
    try {
      for (const { text, values } of writes) this.#statement(text).run(values);
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
