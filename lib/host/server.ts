/**
 * One server of the host: its config, its link, its list of tools, and how many calls it gets at a time. It decides
 * nothing about names or rules, and calls no tool by itself.
 */
import { abortable, Semaphore, settlesWithin } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { CallReply, McpClient } from "../client/types.ts";
import type { Era, Session } from "../protocol/mcp.ts";
import type { ServerContext, WaitOptions } from "./connection-types.ts";
import { Connection } from "./connection.ts";
import { fetchTools, sharedList } from "./fetch-tools.ts";
import type { Remote } from "./remote.ts";
import { statusOf } from "./server-status.ts";
import type { CallOptions, HostedConfig, UseOptions } from "./server-types.ts";
import { ToolCache } from "./tool-list.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { ServerStatus } from "./types.ts";
import { givenUp } from "./wait.ts";
import { sender, waitOf, workWith } from "./work.ts";

const timeoutDefaultMs = 60_000;
const concurrencyDefault = 64;

export class HostedServer implements AsyncDisposable {
  /** What a running server needs of it does not change; the rest may (`reconfigure`). */
  config: HostedConfig;
  /** Its tools, as they were listed. */
  readonly lists: ToolCache;
  readonly #connection: Connection;
  readonly #slots: Semaphore;
  readonly #context: ServerContext;
  readonly #release = () => {
    this.#usedAt = performance.now();
    this.#slots.release();
    this.#onRelease?.();
  };
  /** What is different where it is remote, once it was used. */
  #remote: Remote | undefined;
  /** When work with it began or ended last, on the clock of `performance.now`. */
  #usedAt = 0;
  /** Something that lasts has its client. */
  #isHeld = false;
  /** Another has its place, and speaks for the name. */
  #isRetired = false;
  #onRelease: (() => void) | undefined;

  /** @param after what must have ended before it is started */
  constructor(config: HostedConfig, context: ServerContext, after?: Promise<unknown>) {
    this.config = config;
    this.#context = context;
    this.#slots = new Semaphore(config.concurrency ?? concurrencyDefault);
    const now = () => this.config;
    const emit: ServerContext["emit"] = (event) => {
      if (!this.#isRetired) context.emit(event);
    };
    const { log, toolLists } = context;
    this.lists = new ToolCache(
      (client, mayBeKept) => {
        const { signal } = this.#connection;
        const { timeoutMs } = this;
        return fetchTools(client, { config, log, toolLists, signal, timeoutMs, mayBeKept });
      },
      () => toolLists?.forget(config.name),
    );
    const onToolsChanged = () => {
      if (this.lists.changed()) emit({ type: "tools_changed", server: config.name });
    };
    this.#connection = new Connection({
      get config() {
        return now();
      },
      context,
      emit,
      after,
      onToolsChanged,
    });
  }

  get name(): string {
    return this.config.name;
  }

  /** The idle time of a request where nobody says another. */
  get timeoutMs(): number {
    return this.config.timeoutMs ?? timeoutDefaultMs;
  }

  /** The list of tools that was fetched last, however old. */
  get lastTools(): FetchedTools | undefined {
    return this.lists.last;
  }

  /** It runs, and its list is fresh. */
  get isListed(): boolean {
    const { ready } = this.#connection;
    return ready !== undefined && this.lists.isFresh(ready);
  }

  /** What it spoke when it was connected last; undefined where it never was. */
  get era(): Era | undefined {
    return this.#connection.era;
  }

  status(): ServerStatus {
    const { ready, condition } = this.#connection;
    return statusOf(this.name, condition, ready, this.lastTools, this.#slots.waiting);
  }

  /** Begins to start without waiting; what goes wrong shows when it is used. */
  warm(): void {
    this.#connection.shared(this.#wait({ signal: this.#connection.signal })).catch(() => {});
  }

  /** The tools, from the cache while that holds. @throws HostError `server_start` `rpc_error` and as a start */
  async tools(options: UseOptions): Promise<FetchedTools> {
    const wait = this.#wait(options);
    if (!this.#isRemote) return await this.#listed(await this.#connection.shared(wait), options);
    const remote = this.#remote ?? (await this.#loadRemote());
    const list = (client: McpClient) => this.#listed(client, options);
    return await remote.use(list, { ...wait, harmless: true });
  }

  /** One call through a live client, at most `concurrency` at a time. @throws HostError, RpcError */
  call(tool: string, args: JsonObject, options: CallOptions): Promise<CallReply> {
    const connection = this.#connection;
    const { ready } = connection;
    const isShared = !this.#isPerCall && !options.cancel.isCancelled;
    const remote = this.#remote;
    const isLoaded = remote !== undefined || !this.#isRemote;
    if (ready === undefined || !isShared || !isLoaded || !this.#slots.take())
      return this.#callLater(tool, args, options);
    const send = sender(tool, args, options);
    const reply =
      remote?.useReady(ready, remote.call(tool, args, send), waitOf(options)) ??
      connection.watch(ready, send(ready));
    reply.then(this.#release, this.#release);
    return reply;
  }

  /** Any other work with a live client, at most `concurrency` at a time with the calls. @throws HostError, RpcError */
  use<T>(work: (client: McpClient) => Promise<T>, options: UseOptions): Promise<T> {
    return this.#later(work, { ...this.#wait(options), harmless: options.harmless });
  }

  /** The client that everybody shares, for what lasts longer than work. @throws as a start */
  client(options: UseOptions): Promise<McpClient> {
    this.#isHeld = true;
    return this.#connection.shared(this.#wait(options));
  }

  /** As `OpenedHost.rest`. */
  async rest(idleMs = 0): Promise<boolean> {
    const isIdle = this.#slots.isUnused && performance.now() - this.#usedAt >= idleMs;
    if (this.#isRemote || this.#isHeld || !isIdle || this.lists.isFetching) return false;
    return await this.#connection.rest();
  }

  /**
   * Stops it for good, once what runs on it has ended or `graceMs` are over; what still runs then is told `how` it ended,
   * behind "server x". From now on nothing is heard of it.
   */
  async retire(how: string, graceMs: number): Promise<void> {
    this.#isRetired = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onRelease = () => {
      if (this.#slots.isUnused) resolve();
    };
    this.#onRelease();
    await settlesWithin(abortable(promise, this.#connection.signal), graceMs);
    await this.#connection.end(how);
  }

  /** As of its connection. */
  resume(session: Session): void {
    this.#connection.resume(session);
  }

  /** That client, where it is connected. */
  get ready(): McpClient | undefined {
    return this.#connection.ready;
  }

  /** Stops it for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection[Symbol.asyncDispose]();
  }

  // --- internal ---

  /** Reached by a URL, not started by us. */
  get #isRemote(): boolean {
    return this.config.kind === "http";
  }

  get #isPerCall(): boolean {
    return this.config.lifecycle === "per-call" || this.config.share === "call";
  }

  #listed(client: McpClient, options: UseOptions): Promise<FetchedTools> {
    const { listing = false } = options;
    return sharedList(this.lists.get(client, { listing }), this.name, options);
  }

  /** Where something must be waited for (its start, or other calls), and whenever it is remote. */
  #callLater(tool: string, args: JsonObject, options: CallOptions): Promise<CallReply> {
    const remote = this.#remote;
    if (remote === undefined && this.#isRemote)
      return this.#loadRemote().then(() => this.#callLater(tool, args, options));
    const send = sender(tool, args, options);
    return this.#later(remote?.call(tool, args, send) ?? send, waitOf(options));
  }

  async #loadRemote(): Promise<Remote> {
    const room = await import("./remote.ts");
    return (this.#remote ??= new room.Remote({
      config: this.config,
      connection: this.#connection,
      lists: this.lists,
    }));
  }

  async #later<T>(
    work: (client: McpClient) => Promise<T>,
    wait: WaitOptions & Pick<UseOptions, "harmless">,
  ): Promise<T> {
    const { config } = this;
    const { signal } = wait;
    if (signal.aborted) throw givenUp(signal);
    if (!this.#slots.take()) {
      const { waitTurn } = await import("./queue.ts");
      const { isLent = false } = this.#context;
      await waitTurn(this.#slots, { config, isLent, signal });
    }
    try {
      const remote = this.#isRemote ? (this.#remote ?? (await this.#loadRemote())) : undefined;
      const isAlone = this.#isPerCall;
      return await workWith(work, wait, { connection: this.#connection, remote, isAlone });
    } finally {
      this.#release();
    }
  }

  #wait({ signal, waitMs = this.timeoutMs }: UseOptions): WaitOptions {
    return { signal, waitMs };
  }
}
