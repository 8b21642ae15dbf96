/**
 * Work with a client of one server, so much at a time: with the client that everybody shares, or with one of its own. Calls
 * are such work, and are sent nowhere else.
 */
import { abortable, Semaphore, settlesWithin } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { CallReply, McpClient } from "../client/types.ts";
import type { ServerContext, WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import type { Remote, RemoteCall } from "./remote.ts";
import type { CallOptions, HostedConfig, UseOptions } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";
import { givenUp } from "./wait.ts";

/** The server that the work is for. */
export interface Workplace {
  /** Read anew for each piece of work, but for `concurrency`. */
  readonly config: HostedConfig;
  readonly lists: ToolCache;
}

type Work<T> = (client: McpClient) => Promise<T>;

type Wait = WaitOptions & Pick<UseOptions, "harmless">;

export class ServerWork {
  readonly #server: Workplace;
  readonly #connection: Connection;
  readonly #context: ServerContext;
  readonly #slots: Semaphore;
  readonly #release = () => {
    this.#usedAt = performance.now();
    this.#slots.release();
    this.#onRelease?.();
  };
  /** What is different where the server is remote, once it was used. */
  #remote: Remote | undefined;
  /** When work ended last, on the clock of `performance.now`. */
  #usedAt = 0;
  #onRelease: (() => void) | undefined;

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

  /** One call, at most `concurrency` at a time. @throws HostError, RpcError */
  call(tool: string, args: JsonObject, options: CallOptions): Promise<CallReply> {
    const connection = this.#connection;
    const { ready } = connection;
    const isShared = !this.#isAlone && !options.cancel.isCancelled;
    const remote = this.#remote;
    const isLoaded = remote !== undefined || !this.#isRemote;
    if (ready === undefined || !isShared || !isLoaded || !this.#slots.take())
      return this.#callLater(tool, args, options);
    const reply =
      remote === undefined && options.track === undefined
        ? connection.watch(ready, ready.callTool(tool, args, options))
        : this.#callReady(ready, { tool, args, options });
    reply.then(this.#release, this.#release);
    return reply;
  }

  /** Any other work, at most `concurrency` at a time with the calls. @throws HostError, RpcError */
  async use<T>(work: Work<T>, wait: Wait): Promise<T> {
    const { signal } = wait;
    if (signal.aborted) throw givenUp(signal);
    if (!this.#slots.take()) {
      const { waitTurn } = await import("./queue.ts");
      const { isLent = false } = this.#context;
      await waitTurn(this.#slots, { config: this.#server.config, isLent, signal });
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

  #callReady(client: McpClient, call: RemoteCall): Promise<CallReply> {
    const remote = this.#remote;
    if (remote !== undefined) return remote.callReady(client, call);
    return this.#connection.watch(client, sendCall(client, call));
  }

  /** Where something must be waited for (its start, or other calls), and whenever it is remote. */
  #callLater(tool: string, args: JsonObject, options: CallOptions): Promise<CallReply> {
    const remote = this.#remote;
    if (remote === undefined && this.#isRemote)
      return this.#loadRemote().then(() => this.#callLater(tool, args, options));
    const call = { tool, args, options };
    const work = remote?.call(call) ?? ((client) => sendCall(client, call));
    return this.use(work, { signal: options.cancel.signal, waitMs: options.timeoutMs });
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
    return (this.#remote ??= new room.Remote({ config, connection, lists, send: sendCall }));
  }
}

// --- internal ---

const concurrencyDefault = 64;

/** @throws as a client's call, and what `track` throws: then nothing was sent */
function sendCall(
  client: McpClient,
  { tool, args, options }: RemoteCall,
  headers?: Record<string, string>,
): Promise<CallReply> {
  const whole = headers === undefined ? options : { ...options, headers };
  const { track } = options;
  if (track === undefined) return client.callTool(tool, args, whole);
  return track.sending().then(() => client.callTool(tool, args, whole));
}
