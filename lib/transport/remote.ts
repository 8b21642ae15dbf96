/** What every link to a remote server is given: where it is, and how it is reached. */
import type { Log } from "../base/log.ts";

/**
 * How a remote server is reached: as the platform's `fetch`, with its headers, proxies, certificates and manners already
 * put in by whoever made it.
 * @throws HostError `server_exit` with `facts.sent` (false: nothing reached the server) · `auth_required` · `config`
 */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

export interface RemoteOptions {
  /** The server's configured name, for messages and logs. */
  name: string;
  /** As configured; shown in messages without its query and credentials. */
  url: string;
  fetch: Fetch;
  /** `fetch` sends credentials: a refusal is one of these. @default false */
  hasToken?: boolean | undefined;
  log: Log;
  /** The longest response body, or message of a stream, in bytes after decompression. @default 67108864 */
  responseBytesMax?: number;
}

/** Whether an address is one of a WebSocket. */
export function isSocketUrl(url: string): boolean {
  const start = url.slice(0, 4).toLowerCase();
  return start.startsWith("ws:") || start === "wss:";
}

/** Whether credentials go along with each request: in a header, or in the address. */
export function hasCredentials(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): boolean {
  const { username = "", password = "" } = URL.parse(url) ?? {};
  const names = Object.keys(headers);
  return username + password !== "" || names.some((name) => /^authorization$/i.test(name));
}
