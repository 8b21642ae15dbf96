/**
 * The first look at all servers, each for itself and none in the way of another: what they have is known from then on. It
 * holds up nobody: a slow or dead one is found out in its own time. Servers that come later are looked at in the same way.
 */
import type { ServerConfig } from "../config/types.ts";
import type { OpenedHost } from "../host/opened-types.ts";

/** What is known of a server's lifecycle. */
export type Lifecycle = Pick<ServerConfig, "name" | "lifecycle" | "idleMs">;

/** How far the first look is. */
export interface Discovery {
  /** Every eager server has answered or failed. Once true it stays so. */
  readonly isReady: boolean;
  /** Each server has answered or failed; never rejects. */
  readonly done: Promise<void>;
}

/** Starts what is to be up, and stops what is not used, until disposed. */
export class Lifecycles implements Discovery, Disposable {
  readonly #host: OpenedHost;
  readonly #signal: AbortSignal;
  /** All of the first look. */
  readonly done: Promise<void>;
  #isReady = false;
  #idle: Disposable;

  /**
   * Starts and lists all servers at once. An eager one stays up; any other is stopped again (if it is a process of ours),
   * and its next use starts it. Ends when `signal` fires.
   */
  constructor(host: OpenedHost, servers: readonly Lifecycle[], signal: AbortSignal) {
    this.#host = host;
    this.#signal = signal;
    const all = servers.map((server) => ({ server, looked: this.#look(server) }));
    const eager = all.filter(({ server }) => server.lifecycle === "eager");
    this.#isReady = eager.length === 0;
    void whenAll(eager).finally(() => (this.#isReady = true));
    this.done = whenAll(all);
    this.#idle = stopIdle(host, servers);
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** There are other servers, or others of their settings; those of `anew` are looked at. */
  update(servers: readonly Lifecycle[], anew: readonly string[]): void {
    this.#idle[Symbol.dispose]();
    if (this.#signal.aborted) return;
    this.#idle = stopIdle(this.#host, servers);
    for (const server of servers)
      if (anew.includes(server.name)) void this.#look(server);
      else if (server.lifecycle === "eager") this.#host.warm(server.name);
  }

  [Symbol.dispose](): void {
    this.#idle[Symbol.dispose]();
  }

  // --- internal ---

  async #look({ name, lifecycle }: Lifecycle): Promise<void> {
    try {
      const { failed } = await this.#host.tools({ servers: [name], signal: this.#signal });
      if (lifecycle !== "eager" && failed.length === 0) await this.#host.rest(name);
    } catch {
      // It stops: nothing is to be known any more.
    }
  }
}

// --- internal ---

const idleCheckMsMax = 30_000;

/** Stops servers that were not used for their `idleMs`, until disposed. */
function stopIdle(host: OpenedHost, servers: readonly Lifecycle[]): Disposable {
  const timers = servers
    .filter(({ idleMs = 0, lifecycle }) => idleMs > 0 && lifecycle !== "eager")
    .map(({ name, idleMs = 0 }) => {
      const everyMs = Math.min(Math.max(idleMs / 4, 20), idleCheckMsMax);
      return setInterval(() => void host.rest(name, idleMs).catch(() => {}), everyMs);
    });
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

async function whenAll(looks: readonly { looked: Promise<void> }[]): Promise<void> {
  await Promise.all(looks.map(({ looked }) => looked));
}
