/**
 * The first look at all servers, each for itself and none in the way of another: what they have is known from then on. It
 * holds up nobody: a slow or dead one is found out in its own time.
 */
import type { ServerConfig } from "../config/types.ts";
import type { OpenedHost } from "../host/types.ts";

/** What is known of a server's lifecycle. */
export type Lifecycle = Pick<ServerConfig, "name" | "lifecycle" | "idleMs">;

/** How far the first look is. */
export interface Discovery {
  /** Every eager server has answered or failed. Once true it stays so. */
  readonly isReady: boolean;
  /** Each server has answered or failed; never rejects. */
  readonly done: Promise<void>;
}

/**
 * Starts and lists all servers at once. An eager one stays up; any other is stopped again (if it is a process of ours),
 * and its next use starts it. Ends when `signal` fires.
 */
export function discover(
  host: OpenedHost,
  servers: readonly Lifecycle[],
  signal: AbortSignal,
): Discovery {
  const look = async ({ name, lifecycle }: Lifecycle): Promise<void> => {
    try {
      const { failed } = await host.tools({ servers: [name], signal });
      if (lifecycle !== "eager" && failed.length === 0) await host.rest(name);
    } catch {
      // It stops: nothing is to be known any more.
    }
  };
  const all = servers.map((server) => ({ server, looked: look(server) }));
  const eager = all.filter(({ server }) => server.lifecycle === "eager");
  let isReady = eager.length === 0;
  void whenAll(eager).finally(() => (isReady = true));
  return {
    get isReady() {
      return isReady;
    },
    done: whenAll(all),
  };
}

/** Stops servers that were not used for their `idleMs`, until disposed. */
export function stopIdle(host: OpenedHost, servers: readonly Lifecycle[]): Disposable {
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

// --- internal ---

const idleCheckMsMax = 30_000;

async function whenAll(looks: readonly { looked: Promise<void> }[]): Promise<void> {
  await Promise.all(looks.map(({ looked }) => looked));
}
