/**
 * What is on its way, and what was said of it: the journal of sent calls and the audit log, written together. Entries that
 * come while a transaction runs share the next one, so that many calls cost little more than one. Who waits for an entry
 * knows that it is with the system: the end of our process does not lose it. While the store cannot be written nobody
 * waits: entries are held, within a bound, and written later.
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db } from "./db.ts";
import type { Holding } from "./holding.ts";
import { insertSteps } from "./steps.ts";
import type { JournalStep } from "./steps.ts";

export interface JournalOptions {
  log: Log;
  /** How many steps are held while the store cannot be written. @default 20000 */
  heldMax?: number;
}

export class Journal {
  readonly #db: Db;
  readonly #holding: Holding;
  readonly #options: JournalOptions;
  #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** The store could not be written; since then nobody waits. */
  #isFailing = false;
  #lost = 0;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(db: Db, holding: Holding, options: JournalOptions) {
    this.#db = db;
    this.#holding = holding;
    this.#options = options;
  }

  /**
   * Resolves when it is written, or when it is clear that it cannot be now. @param mustHold then it rejects instead, and
   * the step is forgotten. @throws HostError `config`
   */
  write(step: JournalStep, mustHold = false): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { step, mustHold, resolve, reject };
    if (this.#isFailing && mustHold) this.#queue.unshift(waiting);
    else this.#queue.push(waiting);
    if (this.#isFailing && !mustHold) this.#hold();
    else this.#writing ??= this.#writeAll();
    return promise;
  }

  /** Resolves when all is written, or cannot be. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#again);
    await this.#writing;
    if (this.#queue.length > 0) await this.#writeAll();
    clearTimeout(this.#again);
    if (this.#queue.length > 0)
      this.#say("error", `${this.#queue.length} steps of calls are not in the audit log`);
  }

  async #writeAll(): Promise<void> {
    // What else this turn of the loop brings goes along.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, batchMax);
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (!(await this.#written(batch))) break;
    }
    this.#writing = undefined;
    if (this.#isFailing) this.#hold();
  }

  /** Writes in one transaction. False: the store cannot be written now. Never rejects. */
  async #written(batch: readonly Waiting[]): Promise<boolean> {
    try {
      const holder = batch.some(({ step }) => step.sent) ? await this.#holding.id() : "";
      const steps = batch.map(({ step }) => step);
      await this.#db.append((tx) => insertSteps(tx, steps, { holder, db: this.#db }));
    } catch (error) {
      if (isHostError(error) && error.facts["fault"] !== "other") return this.#failed(batch, error);
      return await this.#oneByOne(batch, error);
    }
    for (const { resolve } of batch) resolve();
    if (this.#isFailing) this.#recovered();
    return true;
  }

  /** One that no database takes must not stop the others. */
  async #oneByOne([first, ...more]: readonly Waiting[], error: unknown): Promise<boolean> {
    if (first === undefined) return true;
    if (more.length > 0) {
      for (const waiting of [first, ...more]) if (!(await this.#written([waiting]))) return false;
      return true;
    }
    this.#say("error", `a step of a call cannot be written to the audit log: ${String(error)}`);
    if (first.mustHold) first.reject(error);
    else first.resolve();
    return true;
  }

  #failed(batch: readonly Waiting[], error: HostError): boolean {
    this.#queue.unshift(...batch);
    const hard = this.#queue.filter(({ mustHold }) => mustHold);
    this.#queue = this.#queue.filter(({ mustHold }) => !mustHold);
    for (const { reject } of hard) reject(error);
    if (!this.#isFailing)
      this.#say(
        "error",
        `the audit log is held in memory until it can be written: ${error.message}`,
      );
    this.#isFailing = true;
    return false;
  }

  #recovered(): void {
    this.#isFailing = false;
    const lost = this.#lost === 0 ? "" : `; ${this.#lost} steps of calls were too many to hold`;
    this.#say("warn", `the audit log is written again${lost}`);
    this.#lost = 0;
  }

  /** Lets go of whoever waits, drops what is too much, and tries again later. */
  #hold(): void {
    for (const { resolve } of this.#queue) resolve();
    const { heldMax = 20_000 } = this.#options;
    const tooMany = this.#queue.length - heldMax;
    if (tooMany > 0) this.#queue.splice(0, tooMany);
    if (tooMany > 0) this.#lost += tooMany;
    if (this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#writing ??= this.#writeAll();
    }, againMs);
    this.#again.unref();
  }

  #say(level: "warn" | "error", text: string): void {
    this.#options.log({ level, text });
  }
}

// --- internal ---

interface Waiting {
  step: JournalStep;
  mustHold: boolean;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

/** Postgres takes 65,535 values in one statement, SQLite 32,766. */
const batchMax = 500;
const againMs = 2000;
