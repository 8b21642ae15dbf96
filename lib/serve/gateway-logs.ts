/**
 * Log notifications of servers, each to the one client that it surely is for: nothing in them says which call they are
 * about, so that while several clients are at work on a server none of them is told (protocol.md 1.8, 2.3).
 */
import type { JsonObject } from "../base/json.ts";
import type { OpenedHost } from "../host/types.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { Aside, Downstream, Notify } from "./gateway-types.ts";

/** From the least to the gravest. */
export const logLevels: readonly McpLogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** What legacy clients are told where they say nothing, and what servers are asked for. */
export const logLevelDefault: McpLogLevel = "info";

/** A request that is under way. */
export interface Flight {
  from: Downstream;
  notify: Notify;
  /** Known once its name is. */
  server: string | undefined;
}

export class Logs implements Disposable {
  readonly #host: Pick<OpenedHost, "onLog" | "askLogs">;
  readonly #flights = new Set<Flight>();
  readonly #followers = new Set<Downstream & { aside: Aside }>();
  readonly #hearing: Disposable;
  #asked = logLevels.indexOf(logLevelDefault);

  constructor(host: Pick<OpenedHost, "onLog" | "askLogs">) {
    this.#host = host;
    host.askLogs(logLevelDefault);
    this.#hearing = host.onLog((server, params) => this.#heard(server, params));
  }

  /** A request begins; `end` when it is over. */
  begin(flight: Flight): void {
    this.#flights.add(flight);
  }

  end(flight: Flight): void {
    this.#flights.delete(flight);
  }

  follow(from: Downstream & { aside: Aside }): Disposable {
    this.#followers.add(from);
    return { [Symbol.dispose]: () => void this.#followers.delete(from) };
  }

  /** A client wants more: servers are asked for the most that any client has wanted so far. */
  want(level: McpLogLevel): void {
    const rank = logLevels.indexOf(level);
    if (rank >= this.#asked) return;
    this.#asked = rank;
    this.#host.askLogs(level);
  }

  [Symbol.dispose](): void {
    this.#hearing[Symbol.dispose]();
  }

  // --- internal ---

  #heard(server: string, params: JsonObject): void {
    const rank = logLevels.indexOf(params.level as McpLogLevel);
    let last: Flight | undefined;
    for (const flight of this.#flights) {
      if (flight.server !== server) continue;
      if (last !== undefined && last.from !== flight.from) return;
      last = flight;
    }
    if (last !== undefined) {
      if (isWanted(last.from, rank)) last.notify("notifications/message", params);
      return;
    }
    for (const follower of this.#followers) {
      const { server: only, allows } = follower.scope;
      const isShown = (only === undefined || only === server) && allows([`${server}.`]);
      if (isShown && isWanted(follower, rank))
        follower.aside.notify("notifications/message", params);
    }
  }
}

// --- internal ---

/** A level that nobody knows counts as the least. */
function isWanted({ logLevel }: Downstream, rank: number): boolean {
  return logLevel !== undefined && Math.max(rank, 0) >= logLevels.indexOf(logLevel);
}
