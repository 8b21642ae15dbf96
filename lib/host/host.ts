/**
 * The host: owns the servers and all that was started for them, and gives questions and calls to its desk. It starts
 * nothing by itself, and everything that was started ends with it.
 */
import { HostError } from "../base/errors.ts";
import type { ServerContext } from "./connection-types.ts";
import { Events } from "./events.ts";
import type { LogListener } from "./opened-types.ts";
import type { OpenHostOptions } from "./option-types.ts";
import { hostOver } from "./over.ts";
import type { ChangeableHost, Follower } from "./reconfigure-types.ts";
import { HostedServer } from "./server.ts";
import { Started } from "./started.ts";

/** Opens a host over servers that are not disabled. Aborting `options.signal` ends calls and starts, not the host. */
export function openHost(options: OpenHostOptions): ChangeableHost {
  const scope = new AbortController();
  const signal = AbortSignal.any([options.signal, scope.signal]);
  const events = new Events(options.log);
  const logListeners = new Set<LogListener>();
  const started = new Started(options);
  const heard: ServerContext["heard"] = (server, params) => {
    for (const listener of logListeners) listener(server, params);
  };
  const context: ServerContext = { ...options, ...toldTo(started, events), signal, heard };
  const servers = options.servers
    .filter((server) => server.disabled !== true)
    .map((server) => new HostedServer(server, context));
  const parts = { servers, context, events, logListeners, followers: new Set<Follower>() };
  const leaving = new Map<string, Promise<unknown>>();
  return {
    ...hostOver(parts),
    guest: async (answers) => (await import("./guest.ts")).openGuest(answers, parts),
    async reconfigure(next) {
      const room = await import("./reconfigure.ts");
      return room.reconfigure(next, { ...parts, leaving });
    },
    async leave() {
      await started.leave();
      events.close();
    },
    async [Symbol.asyncDispose]() {
      scope.abort(new HostError("cancelled", "the host was closed"));
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      await Promise.all(leaving.values());
      await started.end();
      events.close();
    },
  };
}

// --- internal ---

/** What servers start is told to who ends it with the host, and what happens to who listens. */
function toldTo(
  started: Started,
  events: Events,
): Omit<ServerContext, keyof OpenHostOptions | "heard"> {
  return {
    emit: (event) => events.emit(event),
    hears: (type) => events.hears(type),
    guard: () => started.guard(),
    take: (server) => started.take(server),
    spawned: (child) => started.spawned(child),
    linked: (link) => started.linked(link),
    keep: (work) => started.keep(work),
  };
}
