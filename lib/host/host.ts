/**
 * The host: owns the servers and all that was started for them, and gives questions and calls to its desk. It starts
 * nothing by itself, and everything that was started ends with it.
 */
import { HostError } from "../base/errors.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { ServerContext } from "./connection-types.ts";
import type { Desk } from "./desk.ts";
import { Events } from "./events.ts";
import type { Lasting } from "./lasting-types.ts";
import type { Library } from "./library.ts";
import type { OpenHostOptions } from "./option-types.ts";
import { HostedServer } from "./server.ts";
import { Started } from "./started.ts";
import type { OpenedHost } from "./types.ts";

/** Opens a host over servers that are not disabled. Aborting `options.signal` ends calls and starts, not the host. */
export function openHost(options: OpenHostOptions): OpenedHost {
  const scope = new AbortController();
  const signal = AbortSignal.any([options.signal, scope.signal]);
  const events = new Events(options.log);
  const logListeners = new Set<Parameters<OpenedHost["onLog"]>[0]>();
  const started = new Started(options);
  const heard: ServerContext["heard"] = (server, params) => {
    for (const listener of logListeners) listener(server, params);
  };
  const context: ServerContext = { ...options, ...toldTo(started, events), signal, heard };
  const servers = options.servers
    .filter((server) => server.disabled !== true)
    .map((server) => new HostedServer(server, context));
  let opened: Desk | undefined;
  let loading: Promise<Desk> | undefined;
  const load = async () => {
    const { Desk } = await import("./desk.ts");
    return (opened = new Desk(servers, context));
  };
  const desk = () => (loading ??= load());
  let library: Promise<Library> | undefined;
  let fresh: Promise<void> | undefined;
  const features = () =>
    (library ??= import("./library.ts").then((room) => new room.Library(servers, context)));
  return {
    tools: async ({ servers: names, signal: given } = {}) => (await desk()).tools(names, given),
    // Straight through once the desk is there: calls may be many.
    call: (request) => opened?.call(request) ?? desk().then((it) => it.call(request)),
    cancel: (id, reason) => opened?.cancel(id, reason) ?? false,
    knownTools: async () => (await desk()).knownTools(),
    judge: async (tools, actor) => (await import("./judge.ts")).judge(tools, { actor, ...options }),
    resolve: async (name, more) => (await desk()).resolve(name, more),
    resources: async (request) => (await features()).resources(request),
    read: async (request) => (await features()).read(request),
    locate: async (uri, given) => (await features()).locate(uri, given),
    prompts: async (request) => (await features()).prompts(request),
    prompt: async (request) => (await features()).prompt(request),
    complete: async (request) => (await features()).complete(request),
    ...lastingOf(servers, context),
    warm: (name) => servers.find((server) => server.name === name)?.warm(),
    servers: () => servers.map((server) => server.status()),
    events: () => events.listen(),
    onEvent: (watcher) => events.watch(watcher),
    rest: async (name, idleMs) =>
      (await servers.find((server) => server.name === name)?.rest(idleMs)) ?? false,
    onLog(listener) {
      logListeners.add(listener);
      return { [Symbol.dispose]: () => void logListeners.delete(listener) };
    },
    askLogs(level) {
      context.serverLogLevel = level;
      askNow(servers, level);
    },
    keepFresh() {
      fresh ??= import("./subscriptions.ts").then((room) =>
        room.keepListsFresh(servers, events, context),
      );
    },
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

// --- internal ---

/** What servers start is told to who ends it with the host, and what happens to who listens. */
function toldTo(
  started: Started,
  events: Events,
): Omit<ServerContext, keyof OpenHostOptions | "heard"> {
  return {
    emit: events.emit.bind(events),
    guard: () => started.guard(),
    take: (server) => started.take(server),
    spawned: (child) => started.spawned(child),
    linked: (link) => started.linked(link),
    keep: (work) => started.keep(work),
  };
}

/** Tells servers that run what to log; a modern one is told with each request. */
function askNow(servers: readonly HostedServer[], level: McpLogLevel): void {
  for (const { ready } of servers)
    if (ready?.era === "legacy" && ready.capabilities.logging)
      ready.request("logging/setLevel", { level }).catch(() => {});
}

function lastingOf(servers: readonly HostedServer[], context: ServerContext): Lasting {
  return {
    task: async (server, taskId, { session } = {}) =>
      (await import("./tasks.ts")).hostTask({ server, taskId, session }, servers, context),
    tasksOf: async (server, given) =>
      (await import("./tasks.ts")).tasksOf({ server, ...given }, servers, context),
    subscribe: async (request) =>
      (await import("./subscriptions.ts")).subscribe(request, servers, context),
  };
}
