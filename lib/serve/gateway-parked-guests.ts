/**
 * The guests of modern clients, which have no session to keep one in: by whose they are and what the client declares. A
 * server that a guest has for itself works for one request at a time, so that it is certain which one it asks about; for
 * several at once there are several guests. It knows no protocol.
 */
import { settlesWithin } from "../base/async.ts";
import { logLevels } from "../protocol/log-level.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import { guestsFull } from "./gateway-behind.ts";
import type { BehindContext } from "./gateway-behind.ts";
import { logLevelDefault } from "./gateway-logs.ts";
import type { Logs } from "./gateway-logs.ts";
import { askNobody, openGuest, relayTo } from "./gateway-parked-guest.ts";
import type { Ask, Lent, User, Whose } from "./gateway-parked-guest.ts";
import type { Guest } from "./gateway-types.ts";
import type { Shares } from "./types.ts";

export interface GuestPoolOptions extends BehindContext {
  logs: Logs;
  /** How many clients with servers of their own there may be. */
  guests: Shares;
  /** Fires when no new work is taken: those that nobody uses are closed. */
  stopping: AbortSignal;
  /** One that nobody used for so long is closed. @default 300000 */
  guestIdleMs?: number | undefined;
  /** How long a request waits for one. @default 10000 */
  guestWaitMs?: number | undefined;
}

export class GuestPool {
  readonly #options: GuestPoolOptions;
  /** In the order in which they were opened. */
  readonly #all = new Set<Kept>();
  /** Settles when one may be free. */
  #freed = Promise.withResolvers<void>();
  /** The least that servers of a guest were asked to log. */
  readonly #levels = new WeakMap<Guest, number>();
  #sweeping: ReturnType<typeof setInterval> | undefined;

  constructor(options: GuestPoolOptions) {
    this.#options = options;
    options.stopping.addEventListener("abort", () => this.#sweep(0), { once: true });
  }

  /** The first guest of a client: for lists and names, and for servers that are not its own. @throws as `take` */
  async first(whose: Whose, signal: AbortSignal): Promise<Lent> {
    return await this.#lend(whose, signal, () => true);
  }

  /**
   * A guest whose `server` works for nobody else as long.
   * @throws HostError `server_start` with `facts.busy` where none is free in time
   */
  async take(
    { server, ask, logLevel, ...whose }: Whose & User,
    signal: AbortSignal,
  ): Promise<Lent> {
    const enter = ({ users }: Kept) => !users.has(server) && users.set(server, ask) !== undefined;
    const lent = await this.#lend(whose, signal, enter, server);
    const rank = logLevel === undefined ? Infinity : logLevels.indexOf(logLevel);
    if (rank < (this.#levels.get(lent.guest) ?? rankDefault)) {
      this.#levels.set(lent.guest, rank);
      lent.guest.host.askLogs(logLevel as McpLogLevel);
    }
    return lent;
  }

  // --- internal ---

  async #lend(
    { owner, capabilities }: Whose,
    signal: AbortSignal,
    enter: (kept: Kept) => boolean,
    server?: string,
  ): Promise<Lent> {
    const { guestWaitMs = 10_000, guests } = this.#options;
    const key = JSON.stringify([owner, capabilities]);
    const until = performance.now() + guestWaitMs;
    while (true) {
      const kept =
        Array.from(this.#all).find((one) => one.key === key && enter(one)) ??
        this.#open({ owner, capabilities }, key, enter);
      if (kept !== undefined) return await this.#use(kept, server);
      const leftMs = until - performance.now();
      signal.throwIfAborted();
      if (leftMs <= 0) throw guestsFull(guests, 2000);
      // Others have guests of the same bound, and leave without a word to us.
      await settlesWithin(this.#freed.promise, Math.min(leftMs, lookMs));
    }
  }

  async #use(kept: Kept, server: string | undefined): Promise<Lent> {
    kept.uses += 1;
    const free = () => {
      if (server !== undefined) kept.users.delete(server);
      this.#tellFree();
    };
    const back = () => {
      kept.uses -= 1;
      kept.usedAt = performance.now();
      if (this.#options.stopping.aborted) this.#sweep(0);
    };
    const end = () => {
      back();
      free();
    };
    const leave = () => {
      back();
      if (server !== undefined) kept.users.set(server, askNobody);
      setTimeout(free, lateMs).unref();
    };
    try {
      return { guest: await kept.opened, leave, [Symbol.dispose]: end };
    } catch (error) {
      end();
      this.#close(kept);
      throw error;
    }
  }

  /** Undefined where there is no room; whoever is idle for longest then makes some. */
  #open(
    { owner, capabilities }: Whose,
    key: string,
    enter: (kept: Kept) => boolean,
  ): Kept | undefined {
    const { guests, guestIdleMs = 300_000 } = this.#options;
    if (!guests.take(owner)) {
      const isFull = guests.size >= guests.max;
      const [oldest] = Array.from(this.#all)
        .filter((kept) => kept.uses === 0 && (isFull || kept.owner === owner))
        .toSorted((a, b) => a.usedAt - b.usedAt);
      if (oldest !== undefined) this.#close(oldest);
      return undefined;
    }
    const users: Kept["users"] = new Map();
    const answers = Object.keys(capabilities).length > 0;
    const relay = answers ? relayTo(users, capabilities) : undefined;
    const opened = openGuest(relay, this.#options);
    const usedAt = performance.now();
    const kept: Kept = { owner, key, users, opened, uses: 0, usedAt };
    this.#all.add(kept);
    const everyMs = Math.min(Math.max(guestIdleMs / 4, 20), 60_000);
    this.#sweeping ??= setInterval(() => this.#sweep(guestIdleMs), everyMs).unref();
    enter(kept);
    return kept;
  }

  /** Closes what nobody used for so long. */
  #sweep(idleMs: number): void {
    const since = performance.now() - idleMs;
    for (const kept of this.#all) if (kept.uses === 0 && kept.usedAt <= since) this.#close(kept);
    if (this.#all.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }

  #close(kept: Kept): void {
    if (!this.#all.delete(kept)) return;
    const gone = () => {
      this.#options.guests.release(kept.owner);
      this.#tellFree();
    };
    kept.opened.then((guest) => guest[Symbol.asyncDispose]()).then(gone, gone);
  }

  #tellFree(): void {
    this.#freed.resolve();
    this.#freed = Promise.withResolvers();
  }
}

// --- internal ---

interface Kept {
  owner: string;
  /** Of the owner, and what the client declares. */
  key: string;
  opened: Promise<Guest>;
  /** Who is asked what a server asks: by the server, which works for one at a time. */
  users: Map<string, Ask>;
  uses: number;
  /** On the clock of `performance.now`. */
  usedAt: number;
}

/** How long a server may still be at work on what was given up. */
const lateMs = 10_000;

/** How often it is looked for one that was left without a word. */
const lookMs = 250;
const rankDefault = logLevels.indexOf(logLevelDefault);
