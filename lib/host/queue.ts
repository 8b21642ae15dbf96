/**
 * How work waits for its turn at a server that has as much as it takes: in order, within a bound of how many wait and how
 * long. Loaded when something first has to wait. What is turned away here was never sent.
 */
import type { Semaphore, Waiter } from "../base/async.ts";
import { timerMsMax } from "../base/async.ts";
import { Deadlines } from "../base/deadlines.ts";
import type { Due } from "../base/deadlines.ts";
import { HostError } from "../base/errors.ts";
import { isWithinShare } from "../base/share.ts";
import type { ServerConfig } from "../config/types.ts";
import type { ServerCall } from "./server-types.ts";
import { givenUp } from "./wait.ts";

export interface Bounds {
  config: Pick<ServerConfig, "name" | "queueMax" | "queueMs">;
  /** Others use the servers: what the config does not bound gets the defaults; else only what it says holds. */
  isLent: boolean;
  /** Those have several owners, of whom none is to have the whole line. */
  isShared: boolean;
}

export class Queue {
  readonly #slots: Semaphore;
  /** Of calls that wait no longer than that. */
  #deadlines: { ms: number; all: Deadlines } | undefined;

  constructor(slots: Semaphore) {
    this.#slots = slots;
  }

  /**
   * Waits for a turn, which is released once.
   * @throws HostError `server_start` with `facts.busy` and `facts.retryMs` (the queue is full, or the wait was too long);
   *   as `givenUp` once `signal` fires
   */
  async wait(bounds: Bounds, signal: AbortSignal, owner?: string): Promise<void> {
    const slots = this.#slots;
    if (slots.take()) return;
    const { name, queueMs } = this.#admit(bounds, owner);
    const late = new AbortController();
    const timer =
      queueMs === Infinity
        ? undefined
        : setTimeout(() => late.abort(), Math.min(queueMs, timerMsMax));
    try {
      await slots.acquire(AbortSignal.any([signal, late.signal]), owner);
    } catch {
      if (signal.aborted) throw givenUp(signal);
      throw lateError(name, queueMs);
    } finally {
      clearTimeout(timer);
    }
  }

  /** The same for a call, without a promise: `onTurn` is called at its turn. @throws HostError `server_start`: it is full */
  line(call: ServerCall, bounds: Bounds, onTurn: () => void): void {
    const { name, queueMs } = this.#admit(bounds, call.owner);
    const place = new Place(this.#slots, call, onTurn);
    call.waiter = place;
    this.#slots.wait(place);
    if (queueMs === Infinity) return;
    const ms = Math.min(queueMs, timerMsMax);
    if (this.#deadlines?.ms !== ms) this.#deadlines = { ms, all: new Deadlines(ms) };
    place.bound(this.#deadlines.all, () => lateError(name, queueMs));
  }

  // --- internal ---

  /** @param owner undefined: nobody knows whose it is, and all of that counts as one's */
  #admit(
    { config, isLent, isShared }: Bounds,
    owner: string | undefined,
  ): { name: string; queueMs: number } {
    const { name, queueMax = isLent ? queueMaxDefault : Infinity } = config;
    const { queueMs = isLent ? queueMsDefault : Infinity } = config;
    const { waiting } = this.#slots;
    if (waiting >= queueMax) throw busyError(name, `${waiting} wait for their turn`);
    if (isShared) {
      const own = this.#slots.waitingOf(owner);
      if (!isWithinShare({ own, size: waiting, max: queueMax }))
        throw busyError(
          name,
          `${own} calls of yours wait for their turn, and others are to find room`,
        );
    }
    return { name, queueMs };
  }
}

// --- internal ---

/** That of a call in the line; its call tells it when it is given up. */
class Place implements Waiter {
  before: Waiter | undefined;
  after: Waiter | undefined;
  readonly #slots: Semaphore;
  readonly #call: ServerCall;
  readonly #onTurn: () => void;
  #due: { deadlines: Deadlines; wait: Due } | undefined;

  constructor(slots: Semaphore, call: ServerCall, onTurn: () => void) {
    this.#slots = slots;
    this.#call = call;
    this.#onTurn = onTurn;
  }

  get owner(): string {
    return this.#call.owner;
  }

  bound(deadlines: Deadlines, late: () => HostError): void {
    const expire = () => this.#leave(late());
    const wait: Due = { at: performance.now(), expire, before: undefined, after: undefined };
    this.#due = { deadlines, wait };
    deadlines.add(wait);
  }

  turn(): void {
    this.#over();
    this.#onTurn();
  }

  cancelled(): void {
    this.#leave(givenUp(this.#call.signal));
  }

  #leave(error: HostError): void {
    this.#slots.leave(this);
    this.#over();
    this.#call.failed(error);
  }

  #over(): void {
    this.#call.waiter = undefined;
    if (this.#due !== undefined) this.#due.deadlines.delete(this.#due.wait);
  }
}

const queueMaxDefault = 256;
const queueMsDefault = 30_000;
const retryMs = 2000;

/** The server is up, but cannot be reached now: nothing was sent, and later it may be. */
function busyError(server: string, why: string): HostError {
  return new HostError("server_start", `server "${server}" is busy: ${why}, and nothing was sent`, {
    facts: { server, busy: true, retryMs, sent: false },
    hint: "try it again later; concurrency, queueMax and queueMs of its entry in the config allow more",
  });
}

function lateError(server: string, queueMs: number): HostError {
  return busyError(server, `there was no turn within ${queueMs} ms`);
}
