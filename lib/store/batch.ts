/** Steps of calls that are written together. Whoever brought one waits for all. It writes nothing itself. */
import type { JournalStep } from "./steps.ts";

/** A step that must not be held: who brought it waits until it is written, or is told why it is not. */
export interface HardStep {
  step: JournalStep;
  resolve: () => void;
  reject: (reason: unknown) => void;
}

export class Batch {
  #steps: JournalStep[] = [];
  #hard: HardStep[] = [];
  readonly #waiting = Promise.withResolvers<void>();

  get size(): number {
    return this.#steps.length + this.#hard.length;
  }

  /** Resolves when it is written, or cannot be now. */
  add(step: JournalStep): Promise<void> {
    this.#steps.push(step);
    return this.#waiting.promise;
  }

  /** Resolves when it is written. Rejects with what `refuse` was given. */
  addHard(step: JournalStep): Promise<void> {
    return new Promise((resolve, reject) => void this.#hard.push({ step, resolve, reject }));
  }

  all(): readonly JournalStep[] {
    return this.#hard.length === 0
      ? this.#steps
      : [...this.#hard.map(({ step }) => step), ...this.#steps];
  }

  /** It is written. */
  done(): void {
    this.#waiting.resolve();
    for (const { resolve } of this.#hard) resolve();
  }

  /** Nobody waits for what may be held. */
  release(): void {
    this.#waiting.resolve();
  }

  /** It cannot be written: what must not be held is forgotten, and told so. */
  refuse(reason: unknown): void {
    for (const { reject } of this.#hard) reject(reason);
    this.#hard = [];
  }

  /** Forgets at most so many of its steps, the oldest that may be held first. Returns how many. */
  drop(count: number): number {
    return this.#steps.splice(0, count).length;
  }

  /** One for each of its steps; who waits for it waits for them. */
  parts(): Batch[] {
    const parts = this.all().map(() => new Batch());
    for (const [at, part] of parts.entries()) {
      const hard = this.#hard[at];
      const step = this.#steps[at - this.#hard.length];
      if (hard !== undefined) part.#hard.push(hard);
      if (step !== undefined) part.#steps.push(step);
    }
    const last = parts.at(-1);
    if (last !== undefined) void last.#waiting.promise.then(this.#waiting.resolve);
    return parts;
  }
}
