/**
 * The host: where servers, names, rules and calls meet. It starts nothing by itself, and everything that was started ends
 * with it.
 */
import { HostError } from "../base/errors.ts";
import { warmSchema } from "../base/schema.ts";
import type { Child, Reaper } from "../process/child.ts";
import { startReaper } from "../process/reaper.ts";
import { runCall } from "./call.ts";
import { Events } from "./events.ts";
import { Registry } from "./registry.ts";
import { HostedServer } from "./server.ts";
import type { OpenedHost, OpenHostOptions } from "./types.ts";
import { Validator } from "./validate.ts";

/** Opens a host over servers that are not disabled. Aborting `options.signal` ends calls and starts, not the host. */
export function openHost(options: OpenHostOptions): OpenedHost {
  const { log, policy } = options;
  const scope = new AbortController();
  const signal = AbortSignal.any([options.signal, scope.signal]);
  const events = new Events(log);
  const emit = events.emit.bind(events);
  const kept = new Set<Promise<void>>();
  const children = new Set<Child>();
  let reaper: Reaper | undefined;
  let reaperStarted = options.reaper === false;
  const context = {
    ...options,
    signal,
    emit,
    children,
    guard: () => {
      if (!reaperStarted) reaper = startReaper();
      reaperStarted = true;
      return reaper;
    },
    keep: (work: Promise<void>) => {
      kept.add(work);
      void work.finally(() => kept.delete(work)).catch(() => {});
    },
  };
  const servers = options.servers
    .filter((server) => server.disabled !== true)
    .map((server) => new HostedServer(server, context));
  const registry = new Registry(servers);
  const validator = new Validator(log, options.limits?.schemaBytesMax);
  const close = async (): Promise<void> => {
    scope.abort(new HostError("cancelled", "the host was closed"));
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
    await Promise.all(Array.from(children, (child) => child.stop()));
    await Promise.allSettled(kept);
    events.close();
    reaper?.release();
  };
  const within = (given: AbortSignal | undefined) =>
    given === undefined ? signal : AbortSignal.any([given, signal]);
  return {
    tools: ({ servers: names, signal: given } = {}) => registry.list(within(given), names),
    call: (request) => runCall(request, { registry, policy, validator, emit, signal }),
    async resolve(name, { signal: given } = {}) {
      const resolving = registry.resolve(name, { signal: within(given) });
      // Arguments are checked next: what that needs is loaded while the server starts.
      void warmSchema();
      return (await resolving).listed;
    },
    warm: (name) => servers.find((server) => server.name === name)?.warm(),
    servers: () => servers.map((server) => server.status()),
    events: () => events.listen(),
    async leave() {
      if (reaper === undefined) return await close();
      await Promise.allSettled(kept);
      events.close();
      reaper.release();
    },
    [Symbol.asyncDispose]: close,
  };
}
