/**
 * Log notifications of servers for the streams of calls. Nothing in one says which call it is about, so that a call is told
 * of it only while no other is at work on its server, whoever made that (protocol.md 1.8, 2.3).
 */
import type { JsonObject } from "../base/json.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { AtWork } from "./at-work.ts";

/** A call that wants to be told. */
export interface LogFollower {
  /** Known once its name is. */
  server: string | undefined;
  /** Takes no time and never throws. */
  hear: (params: JsonObject) => void;
}

export class CallLogs {
  readonly #work: AtWork;
  readonly #followers = new Map<string, LogFollower>();

  constructor(host: Pick<OpenedHost, "onEvent" | "onLog">, stopping: AbortSignal) {
    const watching = new DisposableStack();
    this.#work = watching.use(new AtWork(host));
    // At once: what another call says next may be in the same piece of its output.
    watching.use(host.onEvent(({ id }) => this.leave(id), ["call_end"]));
    watching.use(host.onLog((server, params) => this.#heard(server, params)));
    stopping.addEventListener("abort", () => watching.dispose(), { once: true });
  }

  /** Until the call of that id ends. */
  follow(id: string, follower: LogFollower): void {
    this.#followers.set(id, follower);
  }

  /** For a call that may have ended without ever having begun on a server. */
  leave(id: string): void {
    // Of most calls nobody follows any: no id is to be looked up.
    if (this.#followers.size > 0) this.#followers.delete(id);
  }

  // --- internal ---

  #heard(server: string, params: JsonObject): void {
    if (this.#work.at(server).size !== 1) return;
    for (const follower of this.#followers.values())
      if (follower.server === server) follower.hear(params);
  }
}

/** As it is told in a stream: what the server sent, and nothing that is none of a log. */
export function logEvent({ level, logger, data = null }: JsonObject): JsonObject {
  return {
    log: {
      level: typeof level === "string" ? level : "info",
      ...(typeof logger === "string" && { logger }),
      data,
    },
  };
}
