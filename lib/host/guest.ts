/**
 * A host within a host, for one client of a face who answers servers itself. A modern server is told with each request what
 * the client can, and is shared by all; a legacy one is told when it is greeted, so that it has a process, or a session, for
 * this client alone (`share`). What is shared is the host's own; what is not ends with the guest.
 */
import { HostError } from "../base/errors.ts";
import type { Answers } from "../client/answer-types.ts";
import type { ServerContext } from "./connection-types.ts";
import { Events } from "./events.ts";
import { hostOver } from "./over.ts";
import type { HostParts } from "./over.ts";
import { HostedServer } from "./server.ts";
import type { LogListener, OpenedHost } from "./types.ts";

/** Opens a guest over the servers of its host. Nothing is started for it before it is used. */
export function openGuest(answers: Answers, host: HostParts): OpenedHost {
  const { servers: theirs, context: common, events: known } = host;
  const scope = new AbortController();
  const events = new Events(common.log);
  const logListeners = new Set<LogListener>();
  const shared = new Set(theirs.filter(isShared));
  const names = new Set(Array.from(shared, ({ name }) => name));
  const hear: LogListener = (server, params) => {
    for (const listener of logListeners) listener(server, params);
  };
  const { toolLists: _, ...kept } = common;
  const context: ServerContext = {
    ...kept,
    answers,
    signal: AbortSignal.any([common.signal, scope.signal]),
    heard: hear,
    // A process that runs already is the host's.
    take: () => undefined,
    emit(event) {
      events.emit(event);
      // Calls are the host's, whoever makes them.
      if (event.type === "call_start" || event.type === "call_end") known.emit(event);
    },
  };
  const servers = theirs.map((server) =>
    shared.has(server) ? server : new HostedServer(server.config, context),
  );
  const own = servers.filter((server) => !shared.has(server));
  const hearing = new DisposableStack();
  hearing.use(
    known.watch((event) => {
      const isCall = event.type === "call_start" || event.type === "call_end";
      if (!isCall && names.has(event.server)) events.emit(event);
    }),
  );
  const hearShared: LogListener = (server, params) => {
    if (names.has(server)) hear(server, params);
  };
  host.logListeners.add(hearShared);
  hearing.defer(() => void host.logListeners.delete(hearShared));
  const end = async () => {
    hearing.dispose();
    scope.abort(new HostError("cancelled", "the client has left"));
    await Promise.all(own.map((server) => server[Symbol.asyncDispose]()));
    events.close();
  };
  return {
    ...hostOver({ servers, context, events, logListeners }),
    guest: async (others) => openGuest(others, host),
    leave: end,
    [Symbol.asyncDispose]: end,
  };
}

// --- internal ---

function isShared({ config: { share }, era }: HostedServer): boolean {
  return share === "all" || (share === undefined && era === "modern");
}
