/** All that a host has started and must not leave behind: processes, their reaper, writes on their way. */
import type { Child, Reaper } from "../process/child.ts";
import { startReaper } from "../process/reaper.ts";
import type { OpenHostOptions } from "./types.ts";

export class Started {
  readonly #children = new Set<Child>();
  readonly #kept = new Set<Promise<void>>();
  /** Undefined until first asked for, null where there is none. */
  #reaper: Reaper | null | undefined;

  /** A process that ran before there was a host, until a server takes it. */
  #early: { server: string; child: Child } | undefined;

  constructor({ reaper, started }: Pick<OpenHostOptions, "reaper" | "started">) {
    if (reaper === false) this.#reaper = null;
    if (started === undefined) return;
    this.#reaper = started.reaper ?? null;
    this.#early = started;
    this.spawned(started.child);
  }

  /** The process of a server that runs already; it is given once. */
  take(server: string): Child | undefined {
    if (this.#early?.server !== server) return undefined;
    const { child } = this.#early;
    this.#early = undefined;
    return child;
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
