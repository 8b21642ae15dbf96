/** A guest's own servers: what its client tells them, and hears of them, and nobody else's. It starts and ends none. */
import type { McpClient } from "../client/types.ts";
import type { ServerContext } from "./connection-types.ts";
import type { Events } from "./events.ts";
import type { NoticeListener, OwnServers } from "./guest-types.ts";
import type { OpenedHost } from "./opened-types.ts";
import { askNow } from "./over.ts";
import type { HostedServer } from "./server.ts";

/** What a guest is, in place of what its host would be, to the servers that `own` gives by now. */
export function ownServers(
  own: () => readonly HostedServer[],
  context: ServerContext,
  events: Events,
): OwnServers & Pick<OpenedHost, "askLogs" | "keepFresh"> {
  const listeners = new Set<NoticeListener>();
  const heard = new WeakSet<McpClient>();
  const byName = (name: string) => own().find((server) => server.name === name);
  events.watch((event) => {
    if (event.type !== "server_state" || event.state !== "ready") return;
    const { server: name } = event;
    const server = byName(name);
    // One that could not be reached for a while is ready again with the same client.
    if (server?.ready === undefined || heard.has(server.ready)) return;
    heard.add(server.ready);
    server.ready.onNotification((method, params) => {
      for (const listener of listeners) listener(name, method, params);
    });
    restWhenIdle(server, context.signal);
  });
  let fresh: Promise<void> | undefined;
  return {
    owns: (name) => byName(name) !== undefined,
    rootsChanged() {
      for (const { ready, config } of own())
        // One that has roots in its config knows no others.
        if (ready?.era === "legacy" && config.roots === undefined)
          ready.notify("notifications/roots/list_changed").catch(() => {});
    },
    tell(name, method, params) {
      byName(name)
        ?.ready?.notify(method, params)
        .catch(() => {});
    },
    onNotice(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    askLogs(level) {
      context.serverLogLevel = level;
      askNow(own(), level);
    },
    keepFresh() {
      fresh ??= import("./subscriptions.ts").then((room) =>
        room.keepListsFresh(own, events, context),
      );
    },
  };
}

// --- internal ---

const idleCheckMsMax = 30_000;

/** Stops a server that runs, once it was not used for its `idleMs`. */
function restWhenIdle(server: HostedServer, signal: AbortSignal): void {
  const { idleMs = 0, lifecycle } = server.config;
  if (idleMs <= 0 || lifecycle === "eager") return;
  const look = async () => {
    if (server.ready === undefined || signal.aborted || (await server.rest(idleMs)))
      clearInterval(looking);
  };
  const everyMs = Math.min(Math.max(idleMs / 4, 20), idleCheckMsMax);
  const looking = setInterval(() => void look().catch(() => {}), everyMs).unref();
}
