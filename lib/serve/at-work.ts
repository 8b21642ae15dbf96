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
  /** By server, for good. */
  readonly #servers = new Map<string, Calls>();
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
    const calls = this.#servers.get(server);
    if (calls === undefined) return new Map();
    this.#forget(calls);
    return new Map([...calls.left, ...calls.running.all().map((id) => [id, undefined] as const)]);
  }

  /** Whether a call was given up, and counts still. */
  isLeft(server: string, id: string): boolean {
    const { left } = this.#servers.get(server) ?? {};
    return left !== undefined && left.size > 0 && left.has(id);
  }

  [Symbol.dispose](): void {
    this.#watching[Symbol.dispose]();
  }

  // --- internal ---

  #heard(event: EventOf<(typeof heard)[number]>): void {
    const calls = this.#of(event.server);
    if (event.type === "call_start") calls.running.add(event.id);
    else if (event.type === "call_end") {
      calls.running.delete(event.id);
      if (event.mayRun === true) calls.left.set(event.id, this.#now());
      else this.#onOver(event.id);
      if (calls.left.size > 0) this.#forget(calls);
    }
    // What an ended process was at work on is over.
    else if (event.state !== "ready") this.#forget(calls, Infinity);
  }

  #of(server: string): Calls {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const calls = { running: new Ids(), left: new Map() };
    this.#servers.set(server, calls);
    return calls;
  }

  /** Those that were given up long ago. */
  #forget({ left }: Calls, before = this.#now() - this.#leftMs): void {
    for (const [id, since] of left) {
      if (since >= before) continue;
      left.delete(id);
      this.#onOver(id);
    }
  }
}

// --- internal ---

interface Calls {
  running: Ids;
  /** Those that were given up, and when. */
  left: Map<string, number>;
}

/**
 * Ids that come and go all the time, most of them in the order in which they came: a Map would leave its old tables behind,
 * and an array that is shifted moves all of them each time.
 */
class Ids {
  readonly #ids: (string | undefined)[] = [];
  /** Before it there is none any more. */
  #first = 0;

  add(id: string): void {
    this.#ids.push(id);
  }

  delete(id: string): void {
    const ids = this.#ids;
    let at = this.#first;
    while (at < ids.length && ids[at] !== id) at += 1;
    if (at === ids.length) return;
    if (at === ids.length - 1) return void ids.pop();
    ids[at] = ids[this.#first];
    ids[this.#first++] = undefined;
    if (this.#first < compactAt) return;
    ids.splice(0, compactAt);
    this.#first = 0;
  }

  /** In any order. */
  all(): string[] {
    return this.#ids.slice(this.#first) as string[];
  }
}

const compactAt = 1024;
