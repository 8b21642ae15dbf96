/**
 * Messages that have no answer (notifications, answers of ours), and what follows the one that ends the handshake. What a
 * server says to them is handed on where it is a message, and logged where it is a refusal; neither ever fails the link,
 * but for a lost session.
 */
import { settlesWithin } from "../base/async.ts";
import { debug } from "../base/log.ts";
import { isResponse } from "../protocol/jsonrpc.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import type { Link } from "./http-types.ts";

/** A message on its way. */
export interface Telling {
  /** As `nameOf` has it. */
  what: string;
  init: RequestInit;
  /** It carries a session id. */
  hadSession: boolean;
}

/** What a message is called in an error. */
export function nameOf(message: Message): string {
  return isResponse(message) ? "an answer" : message.method;
}

/**
 * Sends it, and waits until the server has taken it. True if it was not refused.
 * @throws HostError `server_exit` and what `fetch` throws
 */
export async function tell(link: Link, telling: Telling): Promise<boolean> {
  try {
    const response = await link.fetch(telling.init);
    if (!response.ok || !isEmpty(response)) readRemark(response, link, telling).catch(() => {});
    return response.ok;
  } catch (error) {
    const { brokenError } = await import("./http-errors.ts");
    throw brokenError(error, link.options.name, telling.what);
  }
}

/**
 * Opens the server's own stream, but not before what follows the handshake is on its way: that shall have the connection
 * that is there already.
 */
export function listenSoon(link: Link, signal: AbortSignal): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  link.ownStream = promise;
  setTimeout(() => {
    if (signal.aborted) return resolve();
    void listenNow(link, signal);
    resolve(link.ownStream);
  }, 0);
}

/** Opens the server's own stream. Resolves when it is open, or is not to be had; at the latest after `openMs`. */
export async function listenNow(link: Link, signal: AbortSignal): Promise<void> {
  const { name, log } = link.options;
  const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>();
  const begin = async () => {
    try {
      const { listen } = await import("./http-listen.ts");
      await listen(link, signal, onOpen);
    } catch (error) {
      if (!signal.aborted) debug(log, name, () => `its own stream failed: ${String(error)}`);
    } finally {
      onOpen();
    }
  };
  link.ownStream = begin();
  await settlesWithin(opened, link.times.openMs);
}

// --- internal ---

const bodyBytesMax = 65_536;

/** A server that asks on each of them, and answers our answers by another, would have us read more and more. */
const remarksMax = 8;

async function readRemark(
  response: Response,
  link: Link,
  { what, hadSession }: Telling,
): Promise<void> {
  const { readExcerpt, typeOf } = await import("./http-body.ts");
  const { name, log } = link.options;
  const { status } = response;
  if (response.ok && typeOf(response) === "text/event-stream") {
    await readStream(response, link);
    return;
  }
  const text = await readExcerpt(response, { bytesMax: bodyBytesMax, ms: link.times.refusalMs });
  if (response.ok) return;
  const { clean } = await import("./http-facts.ts");
  const { isSessionLost } = await import("./lost-session.ts");
  const excerpt = clean(text);
  const shown = excerpt === "" ? "" : `: ${excerpt}`;
  log({ level: "warn", server: name, text: `it refused ${what} (HTTP ${status})${shown}` });
  if (hadSession && isSessionLost(status, text, [])) link.loseSession(status);
}

async function readStream(response: Response, link: Link): Promise<void> {
  if (link.remarks >= remarksMax) return void (await response.body?.cancel());
  link.remarks += 1;
  try {
    const { readConnection } = await import("./http-stream.ts");
    const { StreamState } = await import("./stream-state.ts");
    await readConnection(response, new StreamState(), { link });
  } finally {
    link.remarks -= 1;
  }
}

function isEmpty({ body, headers, status }: Response): boolean {
  return body === null || status === 204 || headers.get("content-length") === "0";
}
