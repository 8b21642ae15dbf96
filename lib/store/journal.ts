/**
 * What is on its way, and what was said of it: the journal of sent calls and the audit log, written together. Entries that
 * come while a transaction runs share the next one, so that many calls cost little more than one. Who waits for an entry
 * knows that it is with the system: the end of our process does not lose it. While the store cannot be written nobody
 * waits: entries are held, within a bound, and written later.
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { Batch } from "./batch.ts";
import type { Db } from "./db.ts";
import type { Holding } from "./holding.ts";
import { writesOf } from "./steps.ts";
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
  #queue: Batch[] = [];
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
    // What is held may take long, and would be in its way.
    const batch = mustHold && this.#isFailing ? this.#first() : this.#last();
    const written = mustHold ? batch.addHard(step) : batch.add(step);
    if (this.#isFailing && !mustHold) this.#hold();
    else this.#writing ??= this.#writeAll();
    return written;
  }

  /** Resolves when all is written, or cannot be. Never rejects. */
  async close(): Promise<void> {
    clearTimeout(this.#again);
    await this.#writing;
    if (this.#queue.length > 0) await this.#writeAll();
    clearTimeout(this.#again);
    const left = sizeOf(this.#queue);
    if (left > 0) this.#say("error", `${left} steps of calls are not in the audit log`);
  }

  // --- internal ---

  /** One that is written before all others. */
  #first(): Batch {
    const batch = new Batch();
    this.#queue.unshift(batch);
    return batch;
  }

  /** The one that takes more steps. */
  #last(): Batch {
    const last = this.#queue.at(-1);
    if (last !== undefined && last.size < batchMax) return last;
    const batch = new Batch();
    this.#queue.push(batch);
    return batch;
  }

  async #writeAll(): Promise<void> {
    // What else this turn of the loop brings goes along.
    await new Promise<void>((resolve) => void setImmediate(resolve));
    for (let batch = this.#queue.shift(); batch !== undefined; batch = this.#queue.shift())
      // oxlint-disable-next-line no-await-in-loop -- in order
      if (!(await this.#written(batch))) break;
    this.#writing = undefined;
    if (this.#isFailing) this.#hold();
  }

  /** Writes in one transaction. False: the store cannot be written now. Never rejects. */
  async #written(batch: Batch): Promise<boolean> {
    try {
      const steps = batch.all();
      const holder = steps.some(({ sent }) => sent !== undefined) ? await this.#holding.id() : "";
      await this.#db.append(writesOf(steps, { holder, db: this.#db }));
    } catch (error) {
      if (isHostError(error) && error.facts["fault"] !== "other") return this.#failed(batch, error);
      this.#split(batch, error);
      return true;
    }
    batch.done();
    if (this.#isFailing) this.#recovered();
    return true;
  }

  /** One that no database takes must not stop the others. */
  #split(batch: Batch, error: unknown): void {
    if (batch.size > 1) {
      this.#queue.unshift(...batch.parts());
      return;
    }
    this.#say("error", `a step of a call cannot be written to the audit log: ${String(error)}`);
    batch.refuse(error);
    batch.release();
  }

  #failed(batch: Batch, error: HostError): boolean {
    this.#queue.unshift(batch);
    for (const each of this.#queue) each.refuse(error);
    this.#queue = this.#queue.filter(({ size }) => size > 0);
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
    for (const batch of this.#queue) batch.release();
    const { heldMax = 20_000 } = this.#options;
    const tooMany = sizeOf(this.#queue) - heldMax;
    if (tooMany > 0) this.#drop(tooMany);
    if (this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#writing ??= this.#writeAll();
    }, againMs);
    this.#again.unref();
  }

  /** Forgets the oldest. */
  #drop(count: number): void {
    let left = count;
    for (const batch of this.#queue) if (left > 0) left -= batch.drop(left);
    this.#lost += count - left;
    this.#queue = this.#queue.filter(({ size }) => size > 0);
  }

  #say(level: "warn" | "error", text: string): void {
    this.#options.log({ level, text });
  }
}

// --- internal ---

function sizeOf(batches: readonly Batch[]): number {
  return batches.reduce((size, batch) => size + batch.size, 0);
}

const batchMax = 500;
const againMs = 2000;
