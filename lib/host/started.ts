/** All that a host has started and must not leave behind: processes, their reaper, writes on their way. */
import type { Child, Reaper } from "../process/child.ts";
import { startReaper } from "../process/reaper.ts";

export class Started {
  readonly #children = new Set<Child>();
  readonly #kept = new Set<Promise<void>>();
  /** Undefined until first asked for, null where there is none. */
  #reaper: Reaper | null | undefined;

  /** @param reaper false: there is to be none */
  constructor(reaper: boolean) {
    if (!reaper) this.#reaper = null;
  }

  /** The reaper, started when first asked for: before the first process. */
  guard(): Reaper | undefined {
    if (this.#reaper === undefined) this.#reaper = startReaper() ?? null;
    return this.#reaper ?? undefined;
  }

  /** Remembers a process until it is gone. */
  spawned(child: Child): void {
    this.#children.add(child);
    void child.exited.then(() => this.#children.delete(child));
  }

  /** Remembers a promise that must be done before the host is; it may reject. */
  keep(work: Promise<void>): void {
    const done = work.catch(() => {}).finally(() => this.#kept.delete(done));
    this.#kept.add(done);
  }

  /** Stops what still runs, and waits for it. */
  async end(): Promise<void> {
    await Promise.all(Array.from(this.#children, (child) => child.stop()));
    await Promise.all(this.#kept);
    this.#reaper?.release();
  }

  /** Lets the reaper stop what still runs. Where there is none, as `end`. */
  async leave(): Promise<void> {
    if (!this.#reaper) return await this.end();
    await Promise.all(this.#kept);
    this.#reaper.release();
  }
}
