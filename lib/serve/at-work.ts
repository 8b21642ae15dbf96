/**
 * The calls that each server is at work on, whoever made them, with those that were given up and that it may still be at
 * work on. Nothing in a log notification says which call it is about: this is what can be known (protocol.md 1.8, 2.3).
 */
import type { OpenedHost } from "../host/opened-types.ts";
import type { EventOf } from "../host/types.ts";

const heard = ["call_start", "call_end", "server_state"] as const;

export interface AtWorkOptions {
  /** Told of a call by its id once it counts no more. */
  onOver?: (id: string) => void;
  /** How long a call that was given up counts. @default 30000 */
  leftMs?: number;
  /** A clock in ms. @default performance.now */
  now?: () => number;
}

export class AtWork implements Disposable {
  readonly #onOver: (id: string) => void;
  readonly #leftMs: number;
  readonly #now: () => number;
  /** By server, for good: calls, and since when each was given up. */
  readonly #calls = new Map<string, Map<string, number | undefined>>();
  /** How many of them were given up: most often none, and then nothing is to be looked for. */
  #left = 0;
  readonly #watching: Disposable;

  constructor(
    host: Pick<OpenedHost, "onEvent">,
    { onOver = () => {}, leftMs = 30_000, now = () => performance.now() }: AtWorkOptions = {},
  ) {
    this.#onOver = onOver;
    this.#leftMs = leftMs;
    this.#now = now;
    this.#watching = host.onEvent((event) => this.#heard(event), heard);
  }

  /** The calls of a server by their ids. */
  at(server: string): ReadonlyMap<string, unknown> {
    this.#forget(server);
    return this.#calls.get(server) ?? new Map();
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]();
  }

  // --- internal ---

  #heard(event: EventOf<(typeof heard)[number]>): void {
    const { server } = event;
    if (event.type === "call_start") this.#begin(server, event.id);
    else if (event.type === "call_end") {
      if (event.mayRun === true) this.#leave(server, event.id);
      else this.#over(server, event.id);
      if (this.#left > 0) this.#forget(server);
    }
    // What an ended process was at work on is over.
    else if (event.state !== "ready") this.#forget(server, Infinity);
  }

  #begin(server: string, id: string): void {
    const calls = this.#calls.get(server) ?? new Map<string, number | undefined>();
    if (calls.size === 0) this.#calls.set(server, calls);
    calls.set(id, undefined);
  }

  #leave(server: string, id: string): void {
    const calls = this.#calls.get(server);
    if (calls === undefined) return;
    calls.set(id, this.#now());
    this.#left += 1;
  }

  /** Those that were given up long ago. */
  #forget(server: string, before = this.#now() - this.#leftMs): void {
    for (const [id, since] of this.#calls.get(server) ?? [])
      if (since !== undefined && since < before) this.#over(server, id);
  }

  #over(server: string, id: string): void {
    const calls = this.#calls.get(server);
    if (calls?.get(id) !== undefined) this.#left -= 1;
    calls?.delete(id);
    this.#onOver(id);
  }
}
