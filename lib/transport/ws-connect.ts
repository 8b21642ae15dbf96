/**
 * Gets one WebSocket: asks for it with its headers, waits until it is open, and says why where it is not. Bun tells the
 * reason in a message alone, which is quoted without its address, for that may hold secrets.
 */
import { HostError, isHostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import { basicOf } from "../base/uri.ts";
import type { FetchTls } from "./fetch-types.ts";
import { userAgent } from "./http-headers.ts";
import { cancelledOpening, lateOpening } from "./opening-errors.ts";
import { hasCredentials } from "./remote.ts";

export interface WebSocketOptions {
  /** The server's configured name, for messages and logs. */
  name: string;
  /** `ws:` or `wss:`. A user and password in it become the header `Authorization`. */
  url: string;
  log: Log;
  headers?: Readonly<Record<string, string>>;
  tls?: FetchTls | undefined;
  /** URL of an HTTP proxy. */
  proxy?: string | undefined;
  /** The longest message that is taken, in bytes. @default 67108864 */
  messageBytesMax?: number | undefined;
  /** How long the server may take to accept. @default 60000 */
  startTimeoutMs?: number | undefined;
  /** Gives up the opening; later it means nothing. */
  signal?: AbortSignal | undefined;
  /** The link is pinged that often; when two pings bring nothing it is lost. @default 30000 */
  pingMs?: number | undefined;
}

/** A socket that is being connected. @throws HostError `config`: no URL of a WebSocket, or a header that cannot be sent */
export function startSocket(options: WebSocketOptions): WebSocket {
  const { name, tls, proxy } = options;
  const address = URL.parse(options.url);
  const isOurs = address?.protocol === "ws:" || address?.protocol === "wss:";
  if (address === null || !isOurs)
    throw config(name, "its URL is not one of a WebSocket", undefined);
  const { insecure = false, ...pem } = tls ?? {};
  if (insecure) {
    const text =
      "tls.insecure is set: its certificate is not checked, and anybody on the way can read and change what is said";
    options.log({ level: "warn", server: name, text });
  }
  try {
    const headers = headersOf(address, options.headers);
    return new WebSocket(address.href, {
      protocols: ["mcp"],
      headers,
      // What is small on the wire and large in memory could not be bounded.
      perMessageDeflate: false,
      ...(tls !== undefined && { tls: { ...pem, ...(insecure && { rejectUnauthorized: false }) } }),
      ...(proxy !== undefined && { proxy }),
    });
  } catch (cause) {
    throw config(name, "a WebSocket cannot be asked for as configured", cause);
  }
}

/**
 * Resolves when the socket is open.
 * @throws HostError `server_start` (refused, with `facts.httpStatus`; too late), `server_exit` (not reached), `cancelled`
 */
export async function whenOpen(socket: WebSocket, options: WebSocketOptions): Promise<void> {
  const { name, startTimeoutMs = 60_000, signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const giveUp = () => reject(cancelledOpening(name, signal?.reason));
  const timer = setTimeout(() => reject(lateOpening(name, startTimeoutMs, late)), startTimeoutMs);
  signal?.addEventListener("abort", giveUp, { once: true });
  if (signal?.aborted) giveUp();
  socket.addEventListener("open", () => resolve());
  socket.addEventListener("error", reject);
  socket.addEventListener("close", () => reject(new ErrorEvent("error", { message: "it ended" })));
  try {
    await promise;
  } catch (error) {
    throw isHostError(error) ? error : await refused(options, error as ErrorEvent);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
  }
}

/** The reason in one of Bun's messages, without the address before it. */
export function reasonOf(message: string): string {
  return message.slice(message.lastIndexOf("'") + 1).replace(/^ failed: /, "");
}

// --- internal ---

function headersOf(address: URL, configured: WebSocketOptions["headers"]): Record<string, string> {
  const headers = new Headers(configured);
  if (!headers.has("user-agent")) headers.set("user-agent", userAgent);
  const basic = basicOf(address);
  address.username = "";
  address.password = "";
  if (basic !== undefined && !headers.has("authorization"))
    headers.set("authorization", `Basic ${basic}`);
  return Object.fromEntries(headers);
}

async function refused(
  { name, url, tls, headers }: WebSocketOptions,
  { message, error }: ErrorEvent,
): Promise<HostError> {
  const { code: errno } = (error ?? {}) as { code?: unknown };
  if (typeof errno === "string") {
    const { networkError } = await import("./fetch-errors.ts");
    // Bun's own error names the whole address.
    const cause = Object.assign(new Error(message.split(": ").at(-1)), { code: errno });
    const place = new URL(url.replace(/^ws/i, "http"));
    const known = networkError(cause, { name, url: place, tls });
    // Nothing is said before it is open.
    const facts = { ...known.facts, sent: false };
    const { hint } = known;
    return new HostError(known.code, known.message, { facts, ...(hint && { hint }), cause });
  }
  const reason = reasonOf(message);
  const status = Number(/\b[1-5]\d\d$/.exec(reason)?.[0] ?? Number.NaN);
  const { codeOfStatus, statusHint } = await import("./status.ts");
  const code = codeOfStatus(status, "server_start");
  const signIn = { status, url, hasToken: hasCredentials(url, headers) };
  return new HostError(code, `server "${name}" gave no WebSocket: ${reason}`, {
    facts: {
      server: name,
      sent: false,
      reason,
      ...(!Number.isNaN(status) && { httpStatus: status }),
    },
    hint:
      (code === "auth_required" ? statusHint(signIn) : undefined) ??
      "is that the path of its WebSocket, and are the headers right?",
  });
}

function config(server: string, why: string, cause: unknown): HostError {
  return new HostError("config", `server "${server}": ${why}`, { facts: { server }, cause });
}

/** What is wrong with a server that takes too long. */
const late = {
  how: "did not accept a WebSocket",
  hint: "is an MCP server at that URL? if it is slow to answer, raise timeoutMs (and startTimeoutMs)",
};
