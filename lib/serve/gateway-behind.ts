/** What is behind the gateway for one client: a guest's own servers are followed for it, and the others as for all. */
import { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { OwnServers } from "../host/guest-types.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { News } from "./gateway-news.ts";
import type { Behind, Guest } from "./gateway-types.ts";
import { Updates } from "./gateway-updates.ts";
import type { Shares } from "./types.ts";

export interface BehindContext {
  /** What all clients have in common. */
  shared: Behind;
  log: Log;
  coalesceMs: number;
  subscriptionsMax: number;
}

/** No more clients can have servers of their own for now. `retryMs`: when one more may. */
export function guestsFull({ size, max }: Shares, retryMs: number): HostError {
  const whose = size < max ? ", yours among them, and others are to find room" : "";
  const text = `${size} clients have servers of their own${whose}: no more for now`;
  return new HostError("server_start", text, {
    facts: { busy: true, retryMs, sent: false },
    hint: "a client that declares no sampling, elicitation and roots shares them with the others",
  });
}

/** Disposing ends the host, too. */
export function behindGuest(
  host: OpenedHost & OwnServers,
  { shared, log, coalesceMs, subscriptionsMax }: BehindContext,
): Guest {
  // Those that are shared are followed for the host's own already.
  host.keepFresh();
  const news = new News(host, coalesceMs);
  const own = new Updates({ host, log, followedMax: subscriptionsMax });
  const end = async () => {
    news[Symbol.dispose]();
    own[Symbol.dispose]();
    await host[Symbol.asyncDispose]();
  };
  let ended: Promise<void> | undefined;
  return {
    host,
    news,
    updates: {
      follow: (resource, listener) =>
        (host.owns(resource.server) ? own : shared.updates).follow(resource, listener),
    },
    [Symbol.asyncDispose]: () => (ended ??= end()),
  };
}
