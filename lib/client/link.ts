/** One opened link while its server is being greeted, and how it is let go of. Decides nothing about eras. */
import { settlesWithin } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { isRefusal } from "../protocol/probe.ts";
import type { Peer } from "../transport/peer-types.ts";
import { createPeer } from "../transport/peer.ts";
import type { CloseInfo, Transport } from "../transport/transport.ts";
import type { ConnectOptions } from "./connect-types.ts";
import type { Inbound } from "./inbound.ts";

export interface Link {
  transport: Transport;
  peer: Peer;
  /** On the clock of `performance.now`. */
  openedAt: number;
  inbound: Inbound;
  /** The request that is not answered yet, for messages. */
  waitsFor: string;
  /** A probe was sent and `initialize` is not answered: if the process ends now, the probe may be why. */
  mayRestart: boolean;
}

export async function openLink(options: ConnectOptions, inbound: Inbound): Promise<Link> {
  const { name, log, seen, onSilent } = options;
  const opened = await options.open();
  const transport = seen?.(opened) ?? opened;
  const { onRequest, onNotification } = inbound;
  const peer = createPeer(transport, { name, log, onRequest, onNotification, onSilent });
  const openedAt = performance.now();
  return { transport, peer, openedAt, inbound, waitsFor: "initialize", mayRestart: false };
}

/** Closes a link that is of no use. When we were cancelled nobody waits for a stubborn process: it is stopped behind our back. */
export async function closeLink(link: Link, signal: AbortSignal): Promise<void> {
  const closing = Promise.resolve(link.peer[Symbol.asyncDispose]());
  if (signal.aborted) closing.catch(() => {});
  else await closing;
}

/** True for an error that says that the link is gone. */
export function isLost(error: unknown): error is HostError {
  return isHostError(error) && error.code === "server_exit";
}

/** True for an HTTP exchange that was refused by a status which says that the request was not understood. */
export function isRefused(error: unknown): error is HostError {
  if (!isHostError(error) || (error.code !== "rpc_error" && error.code !== "server_exit"))
    return false;
  const { httpStatus } = error.facts;
  return typeof httpStatus === "number" && isRefusal(httpStatus);
}

/** What to throw for a greeting that failed, with all that is known of the process. Before the link is closed. */
export async function failureOf(
  thrown: unknown,
  link: Link,
  options: ConnectOptions,
): Promise<HostError> {
  const { name, signal } = options;
  if (signal.aborted) {
    if (isHostError(thrown)) return thrown;
    const text = `starting server "${name}" was cancelled`;
    return new HostError("cancelled", text, { facts: { server: name }, cause: thrown });
  }
  // The exit is known a moment after the pipes close; a process that only closed its stdin may never exit.
  const { closed } = link.peer;
  const isPipe = options.link !== "http";
  const ended = isPipe && isLost(thrown) && (await settlesWithin(closed, exitMs));
  const info: Partial<CloseInfo> = ended ? await closed : link.transport.facts();
  const waitedMs = performance.now() - link.openedAt;
  const { echoFailure, remoteFailure, startFailure } = await import("./failure.ts");
  if (!isPipe) return remoteFailure(thrown, { name, method: link.waitsFor, waitedMs });
  if (link.inbound.isEcho) return echoFailure(thrown, name);
  const isBuffered = await keepsItsAnswers(thrown, link, signal);
  return startFailure(thrown, { name, method: link.waitsFor, info, waitedMs, isBuffered });
}

// --- internal ---

/** Nothing came in time, but all of it when stdin was closed: it lay in a buffer of the server. Closes the link. */
async function keepsItsAnswers(thrown: unknown, link: Link, signal: AbortSignal): Promise<boolean> {
  const isMute = isHostError(thrown) && thrown.code === "timeout" && link.transport.heard === 0;
  if (!isMute) return false;
  await closeLink(link, signal);
  return (link.transport.heard ?? 0) > 0;
}

const exitMs = 500;
