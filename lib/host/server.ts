/**
 * One server of the host: its config, its link, its list of tools, and how many calls it gets at a time. It decides
 * nothing about names or rules, and calls no tool by itself.
 */
import { Semaphore, settlesWithin } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { CallOptions as ClientCallOptions, CallReply, McpClient } from "../client/types.ts";
import type { ServerConfig } from "../config/types.ts";
import type { Session } from "../protocol/mcp.ts";
import type { ServerContext, WaitOptions } from "./connection-types.ts";
import { Connection } from "./connection.ts";
import { fetchTools, lateList } from "./fetch-tools.ts";
import type { ToolListStore } from "./option-types.ts";
import type { Remote, SendCall } from "./remote.ts";
import { ToolCache } from "./tool-list.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { ServerStatus } from "./types.ts";
import { givenUp, waitFor } from "./wait.ts";

export interface UseOptions {
  signal: AbortSignal;
  /** The longest wait for a start that is put off, and for a list. @default for a start, the server's `timeoutMs` */
  waitMs?: number | undefined;
  /** It changes nothing, so that a remote server may be asked again where its answer was lost. @default false */
  harmless?: boolean | undefined;
  /** The list itself is wanted, and not only what a name means: one whose time is over is fetched anew. @default false */
  listing?: boolean | undefined;
  /** A bare name means what is listed by now: nobody waits for servers that the name does not name. @default false */
  listedOnly?: boolean | undefined;
}

/** As of a client's call; both are always there. */
export type CallOptions = ClientCallOptions & { signal: AbortSignal; timeoutMs: number };

const timeoutDefaultMs = 60_000;
const concurrencyDefault = 64;
/** A list of that age is hardly wrong. */
const recentMs = 60_000;

export class HostedServer implements AsyncDisposable {
  readonly config: ServerConfig;
  readonly #connection: Connection;
  readonly #slots: Semaphore;
  readonly #release = () => {
    this.#usedAt = performance.now();
    this.#slots.release();
  };
  readonly #lists: ToolCache;
  readonly #store: ToolListStore | undefined;
  /** What is different where it is remote, once it was used. */
  #remote: Remote | undefined;
  /** When work with it began or ended last, on the clock of `performance.now`. */
  #usedAt = 0;
  /** Something that lasts has its client. */
  #isHeld = false;

  constructor(config: ServerConfig, context: ServerContext) {
    this.config = config;
    this.#store = context.toolLists;
    this.#slots = new Semaphore(config.concurrency ?? concurrencyDefault);
    const { log, toolLists } = context;
    this.#lists = new ToolCache((client, mayBeKept) => {
      const { signal } = this.#connection;
      const { timeoutMs } = this;
      return fetchTools(client, { config, log, toolLists, signal, timeoutMs, mayBeKept });
    });
    const onToolsChanged = () => {
      if (this.#lists.changed()) context.emit({ type: "tools_changed", server: config.name });
    };
    this.#connection = new Connection({ config, context, onToolsChanged });
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
    return this.#lists.last;
  }

  /** It runs, and its list is fresh. */
  get isListed(): boolean {
    const { ready } = this.#connection;
    return ready !== undefined && this.#lists.isFresh(ready);
  }

  status(): ServerStatus {
    const { ready, condition } = this.#connection;
    const { state, error } = condition;
    const tools = this.lastTools?.tools.length;
    return {
      name: this.name,
      state,
      ...(ready !== undefined && { era: ready.era, revision: ready.revision }),
      ...(ready?.serverInfo !== undefined && { serverInfo: ready.serverInfo }),
      ...(ready?.instructions !== undefined && { instructions: ready.instructions }),
      ...(tools !== undefined && { tools }),
      ...(error !== undefined && { error }),
    };
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

  /** The next `tools` fetches anew. */
  forgetTools(): void {
    this.#lists.changed();
  }

  /** The last list is older than the server allows, or than what was fetched of late: another run may have kept it. */
  get isListOld(): boolean {
    const { freshUntil = Infinity, at = 0 } = this.lastTools ?? {};
    if (freshUntil === Infinity) return false;
    return performance.now() >= Math.min(freshUntil, at + recentMs);
  }

  /** The server's answer shows that the list may have changed: where it keeps a time, that is over. */
  doubtTools(): void {
    if (this.lastTools?.freshUntil !== undefined) this.#forgetAll();
  }

  /** One call through a live client, at most `concurrency` at a time. @throws HostError, RpcError */
  call(tool: string, args: JsonObject, options: CallOptions): Promise<CallReply> {
    const connection = this.#connection;
    const { ready } = connection;
    const isShared = this.config.lifecycle !== "per-call" && !options.signal.aborted;
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
    if (this.#isRemote || this.#isHeld || !isIdle || this.#lists.isFetching) return false;
    return await this.#connection.rest();
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

  async #listed(
    client: McpClient,
    { signal, waitMs, listing = false }: UseOptions,
  ): Promise<FetchedTools> {
    const list = this.#lists.get(client, { listing });
    // Others may wait longer for the same list: only the wait is given up.
    const at = { server: this.name, method: "tools/list" };
    if (waitMs !== undefined && !(await waitFor(settlesWithin(list, waitMs), signal, at)))
      throw lateList(this.name, waitMs);
    return await waitFor(list, signal, at);
  }

  /** The list, and what was kept of it. */
  #forgetAll(): void {
    this.#lists.changed();
    this.#store?.forget(this.name);
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
      lists: this.#lists,
      forget: () => this.#forgetAll(),
    }));
  }

  async #later<T>(
    work: (client: McpClient) => Promise<T>,
    wait: WaitOptions & Pick<UseOptions, "harmless">,
  ): Promise<T> {
    const connection = this.#connection;
    try {
      await this.#slots.acquire(wait.signal);
    } catch {
      throw givenUp(wait.signal);
    }
    try {
      const isAlone = this.config.lifecycle === "per-call";
      if (this.#isRemote) {
        const remote = this.#remote ?? (await this.#loadRemote());
        if (isAlone) return await remote.useAlone(work, wait);
        const { ready } = connection;
        return await (ready ? remote.useReady(ready, work, wait) : remote.use(work, wait));
      }
      if (!isAlone) {
        const client = connection.ready ?? (await connection.shared(wait));
        return await connection.watch(client, work(client));
      }
      await using client = await connection.taken(wait);
      return await connection.watch(client, work(client));
    } finally {
      this.#release();
    }
  }

  #wait({ signal, waitMs = this.timeoutMs }: UseOptions): WaitOptions {
    return { signal, waitMs };
  }
}

function sender(tool: string, args: JsonObject, options: CallOptions): SendCall {
  return (client, headers) =>
    client.callTool(tool, args, headers === undefined ? options : { ...options, headers });
}

function waitOf({ signal, timeoutMs: waitMs }: CallOptions): WaitOptions {
  return { signal, waitMs };
}
