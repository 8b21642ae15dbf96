/**
 * Finds out why no answer comes: whether the server (or the proxy before it) can be connected to at all. It opens a
 * connection of its own, says nothing on it, and closes it again. Loaded only when a first answer is late.
 */
import { settlesWithin } from "../base/async.ts";
import { HostError } from "../base/errors.ts";
import { placeOf } from "./fetch-errors.ts";
import { connectTimeoutMs, type FetchOptions } from "./fetch-types.ts";
import type { Route } from "./proxy.ts";

/**
 * The error to give a request up with; undefined where a connection is possible, and the server only slow.
 * `signal` ends the search.
 */
export async function unreachable(
  url: URL,
  route: Route | undefined,
  options: FetchOptions,
  signal: AbortSignal,
  connect: (place: Place) => Promise<unknown> = open,
): Promise<HostError | undefined> {
  const place = placeOf(route ? new URL(route.url) : url);
  const opening = connect(place);
  const waitMs = Math.min(options.connectTimeoutMs ?? connectTimeoutMs, probeMsMax);
  if ((await settlesWithin(opening, waitMs)) || signal.aborted) return undefined;
  const waited = ((options.connectTimeoutMs ?? connectTimeoutMs) + waitMs) / 1000;
  const what = route
    ? `the proxy ${route.shown} (${route.variable})`
    : `${place.host}:${place.port}`;
  const text = `server "${options.name}": no connection to ${what} within ${waited.toFixed(1)} s`;
  return new HostError("server_exit", text, {
    facts: { server: options.name, sent: false, errno: "ETIMEDOUT", ...place },
    hint: route
      ? "is the proxy up? NO_PROXY names hosts that need none"
      : "nothing answers there: is the address right, and does a firewall or a missing proxy (HTTPS_PROXY) stand between?",
  });
}

// --- internal ---

/** A healthy network answers much sooner; we have waited for the first attempt already. */
const probeMsMax = 3000;

interface Place {
  host: string;
  port: number;
}

/** Settles when there is a connection or a refusal; both say that somebody is there. */
async function open({ host, port }: Place): Promise<void> {
  const socket = await Bun.connect({ hostname: host, port, socket: { data() {} } });
  socket.end();
}
