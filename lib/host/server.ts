/**
 * One server of the host: its config, its link, its list of tools, and its work. It decides nothing about names or rules,
 * and calls no tool by itself.
 */
import type { McpClient } from "../client/types.ts";
import type { Era, Session } from "../protocol/mcp.ts";
import type { ConnectionOptions, ServerContext, WaitOptions } from "./connection-types.ts";
import { Connection } from "./connection.ts";
import { partialText } from "./failure.ts";
import { fetchTools, sharedList } from "./fetch-tools.ts";
import { statusOf } from "./server-status.ts";
import type { CallOptions, HostedConfig, ServerCall, UseOptions } from "./server-types.ts";
import { ToolCache } from "./tool-list.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { ServerStatus } from "./types.ts";
import { ServerWork } from "./work.ts";

const timeoutDefaultMs = 60_000;

export class HostedServer implements AsyncDisposable {
  /** What a running server needs of it does not change; the rest may (`reconfigure`). */
  config: HostedConfig;
  /** Its tools, as they were listed. */
  readonly lists: ToolCache;
  readonly #connection: Connection;
  readonly #work: ServerWork;
  readonly #log: ServerContext["log"];
  /** What is missing in the list, as it was told last. */
  #told: string | undefined;
  /** Something that lasts has its client. */
  #isHeld = false;
  /** Another has its place, and speaks for the name. */
  #isRetired = false;

  /** @param after what must have ended before it is started */
  constructor(config: HostedConfig, context: ServerContext, after?: Promise<unknown>) {
    this.config = config;
    const now = () => this.config;
    const emit: ServerContext["emit"] = (event) => {
      if (!this.#isRetired) context.emit(event);
    };
    const { log, toolLists } = context;
    this.#log = log;
    this.lists = new ToolCache(
      (client, mayBeKept) => {
        const { signal } = this.#connection;
        const { timeoutMs } = this;
        return fetchTools(client, { config, log, toolLists, signal, timeoutMs, mayBeKept });
      },
      () => toolLists?.forget(config.name),
      () => emit({ type: "tools_changed", server: config.name }),
    );
    const onListChanged: ConnectionOptions["onListChanged"] = (list) => {
      if (list !== "tools") emit({ type: "list_changed", server: config.name, list });
      else if (this.lists.changed()) emit({ type: "tools_changed", server: config.name });
    };
    this.#connection = new Connection({
      get config() {
        return now();
      },
      context,
      emit,
      after,
      onListChanged,
    });
    this.#work = new ServerWork(this, this.#connection, context);
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
    return this.#connection.condition.era;
  }

  status(): ServerStatus {
    const { ready, condition } = this.#connection;
    return statusOf(this.name, condition, ready, this.lastTools, this.#work.waiting);
  }

  /** Begins to start without waiting, and to list its tools where `listing`; what goes wrong shows when it is used. */
  warm(listing = false): void {
    this.#begin(listing).catch(() => {});
  }

  /** The tools, from the cache while that holds. @throws HostError `server_start` `rpc_error` and as a start */
  async tools(options: UseOptions): Promise<FetchedTools> {
    const { listing = false } = options;
    const list = await this.#work.aside(
      (client) => sharedList(this.lists.get(client, { listing }), this.name, options),
      { ...this.#wait(options), harmless: true },
    );
    // Whoever wants the list itself tells that it is not whole.
    const { failure } = list;
    if (failure === undefined || listing || failure.message === this.#told) return list;
    this.#told = failure.message;
    this.#log({ level: "warn", server: this.name, text: partialText("tools", failure) });
    return list;
  }

  /** One call through a live client, at most `concurrency` at a time. */
  ask(call: ServerCall, options: CallOptions): void {
    this.#work.ask(call, options);
  }

  /** Any other work with a live client, at most `concurrency` at a time with the calls. @throws HostError, RpcError */
  use<T>(work: (client: McpClient) => Promise<T>, options: UseOptions): Promise<T> {
    return this.#work.use(work, { ...this.#wait(options), harmless: options.harmless });
  }

  /** The client that everybody shares, for what lasts longer than work. @throws as a start */
  client(options: UseOptions): Promise<McpClient> {
    this.#isHeld = true;
    return this.#connection.shared(this.#wait(options));
  }

  /** As `OpenedHost.rest`. */
  async rest(idleMs = 0): Promise<boolean> {
    if (this.config.kind === "http" || this.#isHeld || this.lists.isFetching) return false;
    return this.#work.isIdle(idleMs) && (await this.#connection.rest());
  }

  /**
   * Stops it for good, once what runs on it has ended or `graceMs` are over; what still runs then is told `how` it ended,
   * behind "server x". From now on nothing is heard of it.
   */
  async retire(how: string, graceMs: number): Promise<void> {
    this.#isRetired = true;
    await this.#work.quiet(graceMs);
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
    await this.#connection.end();
  }

  // --- internal ---

  async #begin(listing: boolean): Promise<void> {
    const client = await this.#connection.shared(this.#wait({ signal: this.#connection.signal }));
    if (listing) this.lists.begin(client);
  }

  #wait({ signal, waitMs = this.timeoutMs }: UseOptions): WaitOptions {
    return { signal, waitMs };
  }
}
