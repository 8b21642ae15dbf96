/** All that a host has started and must not leave behind: processes, their reaper, sessions far away, writes on their way. */
import { settlesWithin } from "../base/async.ts";
import type { Child, Reaper } from "../process/child.ts";
import { startReaper } from "../process/reaper.ts";
import type { OpenHostOptions } from "./option-types.ts";

export class Started {
  readonly #children = new Set<Child>();
  readonly #links = new Set<RemoteLink>();
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

  /** Remembers a link to a remote server until it is closed. */
  linked(link: RemoteLink): void {
    this.#links.add(link);
    void link.closed.then(() => this.#links.delete(link));
  }

  /** Remembers a promise that must be done before the host is; it may reject. */
  keep(work: Promise<void>): void {
    const done = work.catch(() => {}).finally(() => this.#kept.delete(done));
    this.#kept.add(done);
  }

  /** Stops what still runs, and waits for it. */
  async end(): Promise<void> {
    await allOf(this.#children, (child) => child.stop());
    await Promise.all(this.#kept);
    this.#reaper?.release();
  }

  /**
   * Right before our process ends: the reaper stops what still runs then; where there is none, as `end`. Remote servers are
   * told, and not waited for long.
   */
  async leave(): Promise<void> {
    if (this.#links.size > 0) await allOf(this.#links, closeSoon);
    if (!this.#reaper) return await this.end();
    await Promise.all(this.#kept);
    // It sees our end, which comes at once and closes all pipes: to close them first would only cost time.
    for (const child of this.#children) child.letGo();
  }
}

/** An open link to a remote server. */
export interface RemoteLink extends AsyncDisposable {
  readonly closed: Promise<unknown>;
  /** How long it took to be greeted: what it may take to say goodbye, too. */
  greetMs: number;
  /** As of its transport. */
  owes(): boolean;
}

// --- internal ---

/** Begins a work on each, and waits for all. By a loop: what `Array.from` is made of is compiled first. */
async function allOf<T>(all: Iterable<T>, work: (one: T) => unknown): Promise<void> {
  const begun: unknown[] = [];
  for (const one of all) begun.push(work(one));
  await Promise.all(begun);
}

const leaveMs = 50;
const greetMsMax = 2000;

/** What the server has not answered by then, it has got. */
async function closeSoon(link: RemoteLink): Promise<void> {
  // The system closes its connections with our process.
  if (!link.owes()) return;
  const closing = Promise.resolve(link[Symbol.asyncDispose]());
  await settlesWithin(closing, leaveMs + Math.min(link.greetMs, greetMsMax));
}
