/**
 * A host within a host, for one client of a face who answers servers itself. A modern server is told with each request what
 * the client can, and is shared by all; a legacy one is told when it is greeted, so that it has a process, or a session, for
 * this client alone (`share`). What is shared is the host's own; what is not ends with the guest.
 */
import { HostError } from "../base/errors.ts";
import type { Answers } from "../client/answer-types.ts";
import type { ServerContext } from "./connection-types.ts";
import { Events } from "./events.ts";
import { ownServers } from "./guest-own.ts";
import type { OwnServers } from "./guest-types.ts";
import type { LogListener, OpenedHost } from "./opened-types.ts";
import { hostOver } from "./over.ts";
import type { HostParts } from "./over.ts";
import type { Follower, Reconfigured } from "./reconfigure-types.ts";
import { otherNames, retired, tellLists } from "./reconfigure.ts";
import { HostedServer } from "./server.ts";
import type { EventType } from "./types.ts";

/** Opens a guest over the servers of its host. Nothing is started for it before it is used. `answers`: as of `OpenedHost.guest`. */
export function openGuest(answers: Answers | undefined, host: HostParts): OpenedHost & OwnServers {
  const { servers: theirs, context: common, events: known } = host;
  const scope = new AbortController();
  const events = new Events(common.log);
  const logListeners = new Set<LogListener>();
  const isShared = sharing(answers);
  const names = new Set(theirs.filter(isShared).map(({ name }) => name));
  const hear: LogListener = (server, params) => {
    for (const listener of logListeners) listener(server, params);
  };
  const { toolLists: _, ...kept } = common;
  const context: ServerContext = {
    ...kept,
    ...(answers && { answers }),
    // What its own are to log is for the client to say.
    serverLogLevel: null,
    signal: AbortSignal.any([common.signal, scope.signal]),
    heard: hear,
    // A process that runs already is the host's.
    take: () => undefined,
    emit(event) {
      events.emit(event);
      // Calls are the host's, whoever makes them.
      if (isOfCall(event.type)) known.emit(event);
    },
    hears: (type) => events.hears(type) || (isOfCall(type) && known.hears(type)),
  };
  const servers = theirs.map((server) =>
    names.has(server.name) ? server : new HostedServer(server.config, context),
  );
  const isOwn = ({ name }: HostedServer) => !names.has(name);
  const followers: HostParts["followers"] = new Set();
  const hearing = hearShared(host, names, { events, hear });
  const follow: Follower = (change) => {
    servers.splice(
      0,
      servers.length,
      ...followed(servers, change, { host, names, isShared, context }),
    );
    const { policy, servers: entries } = common;
    Object.assign(context, { policy, servers: entries });
    for (const follower of followers) follower(change);
    // Of those that are shared the host tells.
    tellLists(otherNames(change).difference(names), context.emit);
  };
  host.followers.add(follow);
  hearing.defer(() => void host.followers.delete(follow));
  const end = async () => {
    hearing.dispose();
    scope.abort(new HostError("cancelled", "the client has left"));
    await Promise.all(servers.filter(isOwn).map((server) => server[Symbol.asyncDispose]()));
    events.close();
  };
  return {
    ...hostOver({ servers, context, events, logListeners, followers }),
    ...ownServers(() => servers.filter(isOwn), context, events),
    guest: async (others) => openGuest(others, host),
    leave: end,
    [Symbol.asyncDispose]: end,
  };
}

// --- internal ---

/** What is told of the servers of its host that are shared is told to a guest, too. */
function hearShared(
  host: HostParts,
  names: ReadonlySet<string>,
  { events, hear }: { events: Events; hear: LogListener },
): DisposableStack {
  const hearing = new DisposableStack();
  hearing.use(
    host.events.watch(
      (event) => {
        if (names.has(event.server)) events.emit(event);
      },
      ["server_state", "tools_changed", "list_changed"],
    ),
  );
  const heard: LogListener = (server, params) => {
    if (names.has(server)) hear(server, params);
  };
  host.logListeners.add(heard);
  hearing.defer(() => void host.logListeners.delete(heard));
  return hearing;
}

function isOfCall(type: EventType): boolean {
  return type === "call_start" || type === "call_end";
}

/**
 * The servers of a guest once its host has others: its own go on, end, or begin anew as those of the host do. `names`, of
 * those that are shared, is kept right.
 */
function followed(
  before: readonly HostedServer[],
  change: Reconfigured,
  at: {
    host: HostParts;
    names: Set<string>;
    isShared: (server: HostedServer) => boolean;
    context: ServerContext;
  },
): HostedServer[] {
  const { host, names, isShared, context } = at;
  const own = before.filter(({ name }) => !names.has(name));
  const mine = new Map(own.map((server) => [server.name, server]));
  const gone = new Map<string, Promise<void>>();
  for (const name of [...change.removed, ...change.changed]) {
    const old = mine.get(name);
    if (old !== undefined) gone.set(name, retired(old, change));
    mine.delete(name);
    names.delete(name);
  }
  return host.servers.map((server) => {
    const { name, config } = server;
    const old = mine.get(name);
    if (old !== undefined) old.config = config;
    else if (isShared(server)) names.add(name);
    if (old !== undefined || names.has(name)) return old ?? server;
    return new HostedServer(config, context, gone.get(name));
  });
}

/** Which servers the client has in common with others: by default those that what it answers does not stick to. */
function sharing(answers: Answers | undefined): (server: HostedServer) => boolean {
  return ({ config: { share = "call" }, era }) =>
    share === "all" || (share === "call" && (answers === undefined || era === "modern"));
}
