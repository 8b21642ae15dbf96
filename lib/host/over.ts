/**
 * What a host is to its user, over servers that somebody else owns: the questions and calls of each room of the host, loaded
 * when first asked for. It starts and ends nothing by itself.
 */
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { ListName } from "../protocol/subscriptions.ts";
import type { ServerContext } from "./connection-types.ts";
import type { Desk } from "./desk.ts";
import type { Events } from "./events.ts";
import type { Features } from "./feature-types.ts";
import type { Lasting } from "./lasting-types.ts";
import type { Library } from "./library.ts";
import { OddLists } from "./odd-lists.ts";
import type { LogListener, OpenedHost, OwnedCallRequest } from "./opened-types.ts";
import { ownLink } from "./own-link.ts";
import type { Follower } from "./reconfigure-types.ts";
import type { HostedServer } from "./server.ts";
import type { ToolListing } from "./types.ts";

export interface HostParts {
  /** In the order of the config; others in the same array once the host was reconfigured. */
  servers: readonly HostedServer[];
  context: ServerContext;
  events: Events;
  /** Who hears the logs of servers. */
  logListeners: Set<LogListener>;
  /** Called as soon as the servers or the rules are others, before anybody is told. */
  followers: Set<Follower>;
}

/** Everything of a host but its guests and its end. */
export function hostOver({
  servers,
  context,
  events,
  logListeners,
  followers,
}: HostParts): Omit<OpenedHost, "guest" | "leave" | keyof AsyncDisposable> {
  let opened: Desk | undefined;
  let loading: Promise<Desk> | undefined;
  const load = async () => {
    const { Desk } = await import("./desk.ts");
    return (opened = new Desk(servers, context));
  };
  const desk = () => (loading ??= load());
  const callLater = async (request: OwnedCallRequest) => (await desk()).call(request);
  const askLater = async (request: OwnedCallRequest) => (await desk()).ask(request);
  let library: Promise<Library> | undefined;
  let fresh: Promise<void> | undefined;
  followers.add(() => {
    opened?.renew();
    library = undefined;
  });
  const told = telling(servers, context);
  const features = () =>
    (library ??= import("./library.ts").then((room) => new room.Library(servers, context)));
  return {
    tools: async ({ servers: names, signal: given } = {}) =>
      told("tools", await (await desk()).tools(names, given), names),
    // Straight through once the desk is there: calls may be many.
    call: (request) => (opened === undefined ? callLater(request) : opened.call(request)),
    ask: (request) => void (opened === undefined ? askLater(request) : opened.ask(request)),
    cancel: (id, reason) => opened?.cancel(id, reason) ?? false,
    knownTools: async () => (await desk()).knownTools(),
    judge: async (tools, actor) => (await import("./judge.ts")).judge(tools, { actor, ...context }),
    resolve: async (name, more) => (await desk()).resolve(name, more),
    ...featuresOf(features, told),
    ...lastingOf(servers, context),
    warm: (name) => named(servers, name)?.warm(),
    begin: (name) => named(servers, name)?.warm(true),
    servers: () => servers.map((server) => server.status()),
    async serverKeys() {
      const { serverKey } = await import("./config-key.ts");
      return servers.map(({ config }) => serverKey(config));
    },
    keepsApart: (name) => keepsApart(servers, name),
    events: () => events.listen(),
    onEvent: (watcher, types) => events.watch(watcher, types),
    rest: async (name, idleMs) => (await named(servers, name)?.rest(idleMs)) ?? false,
    onLog(listener) {
      logListeners.add(listener);
      return { [Symbol.dispose]: () => void logListeners.delete(listener) };
    },
    askLogs(level) {
      context.serverLogLevel = level;
      askNow(servers, level);
    },
    lend(isShared) {
      context.isLent = true;
      if (isShared !== undefined) context.isShared = isShared;
      context.ownLinks ??= new Map();
      context.oddLists ??= new OddLists(context.log);
    },
    ownLink: ({ headers }) => ownLink(context.ownLinks, headers),
    keepFresh() {
      fresh ??= import("./subscriptions.ts").then((room) =>
        room.keepListsFresh(() => servers, events, context),
      );
    },
  };
}

/** Tells servers that run what to log; a modern one is told with each request. */
export function askNow(servers: readonly HostedServer[], level: McpLogLevel): void {
  for (const { ready } of servers)
    if (ready?.era === "legacy" && ready.capabilities.logging)
      ready.request("logging/setLevel", { level }).catch(() => {});
}

// --- internal ---

function named(servers: readonly HostedServer[], name: string): HostedServer | undefined {
  for (const server of servers) if (server.name === name) return server;
  return undefined;
}

/** Asked by every call of a gateway: a loop, and no callback. */
function keepsApart(servers: readonly HostedServer[], name: string | undefined): boolean {
  for (const { config } of servers)
    if (config.share === "client" && (name ?? config.name) === config.name) return true;
  return false;
}

/** What is odd in a list is told where the host is lent. */
function telling(servers: readonly HostedServer[], context: ServerContext) {
  type Odd = Pick<ToolListing, "warnings" | "failed">;
  return <Listing extends Odd>(list: ListName, listing: Listing, names?: readonly string[]) => {
    context.oddLists?.tell(list, listing, names ?? servers.map(({ name }) => name));
    return listing;
  };
}

function featuresOf(
  library: () => Promise<Library>,
  told: ReturnType<typeof telling>,
): Features & Pick<OpenedHost, "locate" | "ownerOf"> {
  return {
    resources: async (request) =>
      told("resources", await (await library()).resources(request), request?.servers),
    read: async (request) => (await library()).read(request),
    locate: async (uri, given) => (await library()).locate(uri, given),
    ownerOf: async (ref, given) => (await library()).ownerOf(ref, given),
    prompts: async (request) =>
      told("prompts", await (await library()).prompts(request), request?.servers),
    prompt: async (request) => (await library()).prompt(request),
    complete: async (request) => (await library()).complete(request),
  };
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
