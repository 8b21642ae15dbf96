/**
 * Log notifications of servers, each to the one client that it surely is for: nothing in them says which call they are
 * about, so that while several clients are at work on a server, or have left work there, none is told (protocol.md 1.8, 2.3).
 */
import { Chain } from "../base/chain.ts";
import type { Linked } from "../base/chain.ts";
import type { JsonObject } from "../base/json.ts";
import { debug } from "../base/log.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { logLevels, strangeLevel, withKnownLevel } from "../protocol/log-level.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { AtWork } from "./at-work.ts";
import type { Aside, Downstream, Guest, Question } from "./gateway-types.ts";

/** What legacy clients are told where they say nothing, and what servers are asked for. */
export const logLevelDefault: McpLogLevel = "info";

/** A request that is under way. */
export interface Flight extends Linked<Flight> {
  question: Question;
  /** Known once its name is. */
  server: string | undefined;
  /** Of a call that its server may be at work on: its id. */
  call?: string | undefined;
  /** The server does not have it yet. @default false */
  isQueued?: boolean;
}

export class Logs implements Disposable {
  readonly #host: Pick<OpenedHost, "onEvent" | "onLog" | "askLogs">;
  readonly #flights = new Chain<Flight>();
  /** Whose calls were given up, by their ids: their servers may still be at work on them. */
  readonly #left = new Map<string, Downstream>();
  readonly #followers = new Set<Downstream & { aside: Aside }>();
  readonly #work: AtWork;
  readonly #hearing: Disposable;
  readonly #log: Log;
  #asked = logLevels.indexOf(logLevelDefault);

  constructor(host: Pick<OpenedHost, "onEvent" | "onLog" | "askLogs">, log: Log) {
    this.#host = host;
    this.#log = log;
    this.#work = new AtWork(host, { onOver: (id) => this.#forget(id) });
    host.askLogs(logLevelDefault);
    this.#hearing = host.onLog((server, params) => this.#heard(server, params, undefined));
  }

  /** A request begins; `end` when it is over. */
  begin(flight: Flight): void {
    this.#flights.add(flight);
  }

  end(flight: Flight): void {
    this.#flights.delete(flight);
    const { question, server, call } = flight;
    if (call === undefined || server === undefined) return;
    if (this.#work.isLeft(server, call)) this.#left.set(call, question.from);
  }

  /** The same until disposed. */
  flight(flight: Flight): Disposable {
    this.begin(flight);
    return { [Symbol.dispose]: () => this.end(flight) };
  }

  /** The request that was begun last of those of a guest that run on one of its servers, or are to, or may. */
  last(guest: Guest, server: string): Question | undefined {
    let last: Question | undefined;
    let queued: Question | undefined;
    let unsure: Question | undefined;
    for (const { question, server: at, isQueued } of this.#flights.all()) {
      if (question.from.guest !== guest) continue;
      if (at === undefined) unsure = question;
      else if (at === server && isQueued === true) queued = question;
      else if (at === server) last = question;
    }
    return last ?? queued ?? unsure;
  }

  follow(from: Downstream & { aside: Aside }): Disposable {
    this.#followers.add(from);
    return { [Symbol.dispose]: () => void this.#followers.delete(from) };
  }

  /** Hears the servers of a guest's own, too. */
  hear(guest: Guest): Disposable {
    return guest.host.onLog((server, params) => {
      if (guest.host.owns(server)) this.#heard(server, params, guest);
    });
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
    this.#work[Symbol.dispose]();
  }

  // --- internal ---

  /** @param guest whose own the server is; undefined: everybody's */
  #heard(server: string, sent: JsonObject, guest: Guest | undefined): void {
    const params = withKnownLevel(sent);
    if (params === undefined) return debug(this.#log, server, () => strangeLevel(sent));
    const rank = logLevels.indexOf(params.level as McpLogLevel);
    // Servers of its own were told by the client itself what to log.
    const isWantedBy = (from: Downstream) =>
      (guest !== undefined && from.knows.era === "legacy") || isWanted(from, rank);
    const client = this.#clientAt(server, guest);
    if (client === "several") return;
    if (client !== undefined) {
      // Each request of a modern client says what it wants.
      const told = this.#lastOf(client, server, isWantedBy);
      if (told !== undefined) told.notify("notifications/message", params);
      else if (isWantedBy(client)) client.aside?.notify("notifications/message", params);
      return;
    }
    for (const follower of this.#followers) {
      const { server: only, allows } = follower.scope;
      const isShown = (only === undefined || only === server) && allows([`${server}.`]);
      if (isShown && ownerOf(follower, server) === guest && isWantedBy(follower))
        follower.aside.notify("notifications/message", params);
    }
  }

  /** The one client that has something under way on a server, or left it there; what is no client of ours counts as several. */
  #clientAt(server: string, guest: Guest | undefined): Downstream | "several" | undefined {
    let only: Downstream | undefined;
    for (const from of this.#clientsAt(server, guest)) {
      if (from === undefined || (only !== undefined && !isSame(only, from))) return "several";
      only = from;
    }
    return only;
  }

  *#clientsAt(server: string, guest: Guest | undefined) {
    for (const { question, server: at } of this.#flights.all())
      if (at === server && ownerOf(question.from, server) === guest) yield question.from;
    if (guest !== undefined) return;
    const callers = this.#callers();
    for (const id of this.#work.at(server).keys()) {
      const from = callers.get(id);
      // A call on a server of its own is none of this one's.
      if (from === undefined || ownerOf(from, server) === undefined) yield from;
    }
  }

  /** Whose calls servers may be at work on, by their ids. */
  #callers(): ReadonlyMap<string, Downstream> {
    const callers = new Map(this.#left);
    for (const { call, question } of this.#flights.all())
      if (call !== undefined) callers.set(call, question.from);
    return callers;
  }

  #forget(id: string): void {
    // Hardly any call is given up: no id is to be looked up.
    if (this.#left.size > 0) this.#left.delete(id);
  }

  #lastOf(
    client: Downstream,
    server: string,
    isWantedBy: (from: Downstream) => boolean,
  ): Question | undefined {
    let last: Question | undefined;
    for (const { question, server: at } of this.#flights.all())
      if (at === server && isSame(question.from, client) && isWantedBy(question.from))
        last = question;
    return last;
  }
}

/** Whether a client wants what has that place in `logLevels`. */
export function isWanted({ logLevel }: Downstream, rank: number): boolean {
  return logLevel !== undefined && rank >= logLevels.indexOf(logLevel);
}

// --- internal ---

/** Whether both are one client. */
function isSame(one: Downstream, other: Downstream): boolean {
  return one === other || (one.link !== undefined && one.link === other.link);
}

/** The client's guest, where a server is its own. */
function ownerOf({ guest }: Downstream, server: string): Guest | undefined {
  return guest?.host.owns(server) === true ? guest : undefined;
}
