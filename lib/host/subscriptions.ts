/**
 * Changes on servers, heard for as long as somebody wants: what a person or program subscribes to, and the lists of modern
 * servers, which tell of changes only on a stream that is asked for (protocol.md 1.10).
 */
import { HostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import { follow } from "../client/subscriptions.ts";
import type { McpClient } from "../client/types.ts";
import { declared } from "../protocol/subscriptions.ts";
import type { Update } from "../protocol/subscriptions.ts";
import type { ServerContext } from "./connection-types.ts";
import type { Events } from "./events.ts";
import { toHostError } from "./failure.ts";
import type { SubscribeRequest } from "./lasting-types.ts";
import type { HostedServer } from "./server.ts";
import type { EventOf } from "./types.ts";
import { unknownServer } from "./unknown.ts";

/** As `Host.subscribe`. */
export async function subscribe(
  { server: name, signal: given, onUpdate, ...topics }: SubscribeRequest,
  servers: readonly HostedServer[],
  context: ServerContext,
): Promise<"ended" | "closed"> {
  const server = serverOf(name, servers);
  if (!topics.lists?.length && !topics.uris?.length)
    throw new HostError("usage", "subscribe needs lists or uris to hear of", {
      facts: { server: server.name },
    });
  const signal = given ? AbortSignal.any([given, context.signal]) : context.signal;
  // Another may have its place by then.
  const now = () => serverOf(server.name, servers);
  const tell = (update: Update | { kind: "stale" }) => onUpdate({ server: server.name, ...update });
  let isMoved = false;
  const once = (followed: HostedServer) =>
    follow({
      name: server.name,
      client: () => now().client({ signal }),
      topics,
      onOpen(missing) {
        if (isMoved) tell({ kind: "stale" });
        isMoved = false;
        topics.onOpen?.(missing);
      },
      onUpdate: tell,
      signal,
      log: context.log,
      timeoutMs: followed.timeoutMs,
    });
  try {
    for (let followed = server; ; followed = now()) {
      const ending = await once(followed);
      // A server that is stopped for another ends it in order.
      isMoved = now() !== followed;
      if (ending === "closed" || !isMoved) return ending;
    }
  } catch (error) {
    if (signal.aborted) return "closed";
    throw toHostError(error, server.name);
  }
}

/**
 * From now on the lists of each modern server that is connected are kept fresh by one stream, until the host ends. It
 * starts no server. For hosts that live long: a single call must not pay for it.
 */
export function keepListsFresh(
  servers: () => readonly HostedServer[],
  events: Events,
  context: ServerContext,
): void {
  const followed = new WeakSet<McpClient>();
  const look = ({ ready, name }: HostedServer) => {
    if (ready === undefined || ready.era !== "modern" || followed.has(ready)) return;
    followed.add(ready);
    void keepFresh(ready, name, context);
  };
  for (const server of servers()) look(server);
  const heard = ({ server: name, state }: EventOf<"server_state">) => {
    const server = state === "ready" ? servers().find((one) => one.name === name) : undefined;
    if (server !== undefined) look(server);
  };
  events.watch(heard, ["server_state"]);
}

// --- internal ---

async function keepFresh(client: McpClient, name: string, context: ServerContext): Promise<void> {
  const { signal, log } = context;
  const wanted = { lists: ["tools", "prompts", "resources"] as const };
  const { lists = [] } = declared(client.capabilities, wanted);
  if (lists.length === 0) return;
  let isGone = false;
  void client.closed.then(() => (isGone = true));
  try {
    await follow({
      name,
      // A server that ended is not started again for this: its next client gets a stream of its own.
      client: async () => {
        if (isGone) throw new HostError("cancelled", `the link to "${name}" ended`);
        return client;
      },
      topics: { lists },
      // The notifications themselves are heard by whoever keeps a list.
      onUpdate(update) {
        if (update.kind !== "stale") return;
        for (const list of lists) client.presume(`notifications/${list}/list_changed`, {});
        client.presume("notifications/resources/updated", {});
      },
      signal,
      log,
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    debug(log, name, () => `its lists are not kept fresh: ${reason}`);
  }
}

/** @throws HostError `usage` */
function serverOf(name: string | undefined, servers: readonly HostedServer[]): HostedServer {
  const names = servers.map((one) => one.name);
  if (name !== undefined) {
    const found = servers.find((one) => one.name === name);
    if (found === undefined) throw unknownServer(name, names);
    return found;
  }
  const [only, ...others] = servers;
  if (only !== undefined && others.length === 0) return only;
  throw new HostError("usage", "subscribe needs the name of a server", {
    facts: { servers: names },
    hint: `the servers are ${names.join(", ")}`,
  });
}
