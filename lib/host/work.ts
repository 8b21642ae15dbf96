/**
 * Work with a client of one server, so much at a time: with the client that everybody shares, or with one of its own. Calls
 * are such work.
 */
import { abortable, Semaphore, settlesWithin } from "../base/async.ts";
import type { Caller, CallReply, McpClient } from "../client/types.ts";
import type { ServerContext, WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import type { Bounds, Queue } from "./queue.ts";
import type { Remote } from "./remote.ts";
import { replyTo, sendCall } from "./send-call.ts";
import type { Sending } from "./send-call.ts";
import type { CallOptions, HostedConfig, ServerCall, UseOptions } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";
import { Turn } from "./turn.ts";
import { givenUp } from "./wait.ts";

/** The server that the work is for. */
export interface Workplace {
  /** Read anew for each piece of work, but for `concurrency`. */
  readonly config: HostedConfig;
  readonly lists: ToolCache;
}

type Work<T> = (client: McpClient) => Promise<T>;

type Wait = WaitOptions & Pick<UseOptions, "harmless"> & { owner?: string };

export class ServerWork {
  readonly #server: Workplace;
  readonly #connection: Connection;
  readonly #context: ServerContext;
  readonly #slots: Semaphore;
  readonly #release = () => {
    this.#slots.release();
    if (this.#slots.isUnused) this.#usedAt = performance.now();
    this.#onRelease?.();
  };
  /** What is different where the server is remote, once it was used. */
  #remote: Remote | undefined;
  /** When work ended last, on the clock of `performance.now`. */
  #usedAt = 0;
  #onRelease: (() => void) | undefined;
  /** Once something had to wait. */
  #queue: Queue | undefined;

  constructor(server: Workplace, connection: Connection, context: ServerContext) {
    this.#server = server;
    this.#connection = connection;
    this.#context = context;
    this.#slots = new Semaphore(server.config.concurrency ?? concurrencyDefault);
  }

  /** How much waits for its turn. */
  get waiting(): number {
    return this.#slots.waiting;
  }

  /** One call, at most `concurrency` at a time. */
  ask(call: ServerCall, options: CallOptions): void {
    const { ready } = this.#connection;
    if (ready === undefined || !this.#isStraight(ready, call))
      return void this.#askLater(call, options);
    const turn = new Turn(call, options, this.#release);
    if (this.#slots.take()) this.#send(ready, turn);
    else if (this.#queue === undefined) void this.#askLater(call, options);
    else this.#line(this.#queue, turn);
  }

  /** Any other work, at most `concurrency` at a time with the calls. @throws HostError, RpcError */
  async use<T>(work: Work<T>, wait: Wait): Promise<T> {
    const { signal, owner } = wait;
    if (signal.aborted) throw givenUp(signal);
    if (!this.#slots.take()) {
      this.#queue ??= new (await import("./queue.ts")).Queue(this.#slots);
      await this.#queue.wait(this.#bounds, signal, owner);
    }
    try {
      return await this.#with(work, wait);
    } finally {
      this.#release();
    }
  }

  /** Work with the client that everybody shares, beside all other: it waits for no turn. @throws as a start */
  async aside<T>(work: Work<T>, wait: Wait): Promise<T> {
    if (!this.#isRemote) return await work(await this.#connection.shared(wait));
    const remote = this.#remote ?? (await this.#loadRemote());
    return await remote.use(work, wait);
  }

  /** Nothing is under way, and nothing was for that long. */
  isIdle(idleMs: number): boolean {
    return this.#slots.isUnused && performance.now() - this.#usedAt >= idleMs;
  }

  /** Waits until nothing is under way, or `graceMs` are over, or the server is stopped. */
  async quiet(graceMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRelease = () => {
      if (this.#slots.isUnused) resolve();
    };
    this.#onRelease();
    await settlesWithin(abortable(promise, this.#connection.signal), graceMs);
  }

  // --- internal ---

  get #isRemote(): boolean {
    return this.#server.config.kind === "http";
  }

  /** Each piece has a client of its own. */
  get #isAlone(): boolean {
    const { lifecycle, share } = this.#server.config;
    return lifecycle === "per-call" || share === "call";
  }

  get #bounds(): Bounds {
    const { isLent = false, isShared } = this.#context;
    return { config: this.#server.config, isLent, isShared: isShared?.() === true };
  }

  #send(client: McpClient, turn: Turn): void {
    if (this.#remote === undefined) sendCall(client, turn, turn);
    else this.#remote.ask(client, turn, turn);
  }

  /** Waits for its turn; by then everything may be different. */
  #line(queue: Queue, turn: Turn): void {
    const { call } = turn;
    const onTurn = () => {
      const { ready } = this.#connection;
      if (ready !== undefined && this.#isStraight(ready, call)) this.#send(ready, turn);
      else void this.#reply(turn, turn, (work, wait) => this.#with(work, wait));
    };
    try {
      queue.line(call, this.#bounds, onTurn);
    } catch (error) {
      call.failed(error);
    }
  }

  /** Nothing has to be waited for or watched. */
  #isStraight(client: McpClient, { isCancelled }: ServerCall): boolean {
    if (this.#isAlone || isCancelled) return false;
    return this.#isRemote ? this.#remote !== undefined : this.#connection.isProven(client);
  }

  /** Where something must be waited for (its start, or other calls), or it is the first of a client. */
  #askLater(call: ServerCall, options: CallOptions): Promise<void> {
    return this.#reply({ call, options }, call, (work, wait) => this.use(work, wait));
  }

  /** Sends a call as a piece of work; `caller` hears what it is answered with. */
  async #reply(
    sending: Sending,
    caller: Caller,
    through: (work: Work<CallReply>, wait: Wait) => Promise<CallReply>,
  ): Promise<void> {
    const { call, options } = sending;
    let reply: CallReply;
    try {
      if (this.#isRemote) this.#remote ??= await this.#loadRemote();
      const work = this.#remote?.call(sending) ?? ((client) => replyTo(client, sending));
      const { signal, owner } = call;
      reply = await through(work, { signal, waitMs: options.timeoutMs, owner });
    } catch (error) {
      return caller.failed(error);
    }
    caller.answered(reply);
  }

  async #with<T>(work: Work<T>, wait: Wait): Promise<T> {
    if (this.#isRemote) {
      const remote = this.#remote ?? (await this.#loadRemote());
      return await (this.#isAlone ? remote.useAlone(work, wait) : remote.use(work, wait));
    }
    const connection = this.#connection;
    if (!this.#isAlone) {
      const client = connection.ready ?? (await connection.shared(wait));
      return await connection.watch(client, work(client));
    }
    await using client = await connection.taken(wait);
    return await connection.watch(client, work(client));
  }

  async #loadRemote(): Promise<Remote> {
    const room = await import("./remote.ts");
    const { config, lists } = this.#server;
    const connection = this.#connection;
    return (this.#remote ??= new room.Remote({ config, connection, lists }));
  }
}

// --- internal ---

const concurrencyDefault = 64;
