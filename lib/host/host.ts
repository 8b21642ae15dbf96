/**
 * The host: where servers, names, rules and calls meet. It starts nothing by itself, and everything that was started ends
 * with it.
 */
import { HostError } from "../base/errors.ts";
import { warmSchema } from "../base/schema.ts";
import { runCall } from "./call.ts";
import type { ServerContext } from "./connection.ts";
import { Events } from "./events.ts";
import { Registry } from "./registry.ts";
import { HostedServer } from "./server.ts";
import { Started } from "./started.ts";
import type { OpenedHost, OpenHostOptions } from "./types.ts";
import { Validator } from "./validate.ts";

/** Opens a host over servers that are not disabled. Aborting `options.signal` ends calls and starts, not the host. */
export function openHost(options: OpenHostOptions): OpenedHost {
  const { log, policy } = options;
  const scope = new AbortController();
  const signal = AbortSignal.any([options.signal, scope.signal]);
  const events = new Events(log);
  const emit = events.emit.bind(events);
  const started = new Started(options.reaper !== false);
  /** Somebody calls: what checks arguments is loaded while the server starts. */
  let calling = false;
  const context: ServerContext = {
    ...options,
    signal,
    emit,
    guard: () => started.guard(),
    spawned(child) {
      started.spawned(child);
      if (calling) void warmSchema();
    },
    keep: (work) => started.keep(work),
  };
  const servers = options.servers
    .filter((server) => server.disabled !== true)
    .map((server) => new HostedServer(server, context));
  const registry = new Registry(servers);
  const validator = new Validator(log, options.limits?.schemaBytesMax);
  const within = (given: AbortSignal | undefined) =>
    given === undefined ? signal : AbortSignal.any([given, signal]);
  return {
    tools: ({ servers: names, signal: given } = {}) => registry.list(within(given), names),
    call(request) {
      calling ||= request.validate !== false;
      return runCall(request, { registry, policy, validator, emit, signal });
    },
    async resolve(name, { signal: given } = {}) {
      calling = true;
      return (await registry.resolve(name, { signal: within(given) })).listed;
    },
    warm: (name) => servers.find((server) => server.name === name)?.warm(),
    servers: () => servers.map((server) => server.status()),
    events: () => events.listen(),
    async leave() {
      await started.leave();
      events.close();
    },
    async [Symbol.asyncDispose]() {
      scope.abort(new HostError("cancelled", "the host was closed"));
      await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
      await started.end();
      events.close();
    },
  };
}
