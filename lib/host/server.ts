/**
 * One server of the host through all its lives: started when first used, once for all who wait; started again after it
 * ended, no sooner than the respawn policy says. It hands out the live client and never calls a tool.
 */
import { Semaphore, sleep } from "../base/async.ts";
import { HostError, isHostError } from "../base/errors.ts";
import type { McpClient } from "../client/types.ts";
import type { ServerConfig } from "../config/types.ts";
import type { CloseInfo } from "../transport/transport.ts";
import { toHostError } from "./failure.ts";
import { launch } from "./launch.ts";
import type { LaunchContext } from "./launch.ts";
import { endError, endText, Lives } from "./lives.ts";
import type { Life } from "./lives.ts";
import { ToolCache } from "./tool-list.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { HostEvent, ServerStatus } from "./types.ts";
import { givenUp, waitFor } from "./wait.ts";

export interface ServerContext extends LaunchContext {
  emit: (event: HostEvent) => void;
}

export interface UseOptions {
  signal: AbortSignal;
  /** The longest wait for a start that is put off. @default the server's `timeoutMs`, else 60000 */
  waitMs?: number | undefined;
}

const timeoutDefaultMs = 60_000;
const concurrencyDefault = 64;

export class HostedServer implements AsyncDisposable {
  readonly config: ServerConfig;
  readonly #context: ServerContext;
  readonly #scope = new AbortController();
  readonly #signal: AbortSignal;
  readonly #slots: Semaphore;
  readonly #lists: ToolCache;
  readonly #lives: Lives;
  /** The clients that are connected, each with its life. */
  readonly #clients = new Map<McpClient, Life>();
  #current: Promise<McpClient> | undefined;
  /** The client of `#current`, once it is there. */
  #ready: McpClient | undefined;
  #state: ServerStatus["state"] = "idle";
  #error: HostError | undefined;

  constructor(config: ServerConfig, context: ServerContext) {
    this.config = config;
    this.#context = context;
    this.#signal = AbortSignal.any([context.signal, this.#scope.signal]);
    this.#lives = new Lives(config.name, config.restart !== false);
    this.#slots = new Semaphore(config.concurrency ?? concurrencyDefault);
    this.#lists = new ToolCache((client) =>
      client.listTools({ signal: this.#signal, timeoutMs: this.timeoutMs }),
    );
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
    return this.#ready !== undefined && this.#lists.isFresh(this.#ready);
  }

  status(): ServerStatus {
    const client = this.#ready;
    const tools = this.lastTools?.tools.length;
    return {
      name: this.name,
      state: this.#state,
      ...(client !== undefined && { era: client.era, revision: client.revision }),
      ...(client?.serverInfo !== undefined && { serverInfo: client.serverInfo }),
      ...(client?.instructions !== undefined && { instructions: client.instructions }),
      ...(tools !== undefined && { tools }),
      ...(this.#error !== undefined && { error: this.#error }),
    };
  }

  /** Begins to start without waiting; what goes wrong shows when it is used. */
  warm(): void {
    this.#connected({ signal: this.#signal }).catch(() => {});
  }

  /** The tools, from the cache while that holds. @throws HostError, RpcError */
  async tools(options: UseOptions): Promise<FetchedTools> {
    const client = await this.#connected(options);
    return await waitFor(this.#lists.get(client), options.signal);
  }

  /** The next `tools` fetches anew. */
  forgetTools(): void {
    this.#lists.changed();
  }

  /** Does the work of one call with a live client, at most `concurrency` at a time. @throws HostError, and as `work` */
  async use<T>(work: (client: McpClient) => Promise<T>, options: UseOptions): Promise<T> {
    const permit = await this.#slots.acquire(options.signal).catch(() => {
      throw givenUp(options.signal);
    });
    try {
      if (this.config.lifecycle !== "per-call")
        return await this.#answered(this.#ready ?? (await this.#connected(options)), work);
      await using client = await this.#taken(options);
      return await this.#answered(client, work);
    } finally {
      permit[Symbol.dispose]();
    }
  }

  /** Stops it for good. */
  async [Symbol.asyncDispose](): Promise<void> {
    const text = `server "${this.name}" was stopped`;
    this.#scope.abort(new HostError("cancelled", text, { facts: { server: this.name } }));
    await this.#current?.catch(() => {});
    await Promise.all(Array.from(this.#clients.keys(), (client) => client[Symbol.asyncDispose]()));
    if (this.#state !== "idle") this.#enter("stopped");
  }

  // --- internal ---

  async #connected({ signal, waitMs = this.timeoutMs }: UseOptions): Promise<McpClient> {
    while (this.#current === undefined) {
      if (this.#signal.aborted) throw givenUp(this.#signal);
      const verdict = this.#lives.next();
      if (verdict.do === "start") this.#start();
      else if (verdict.do === "refuse" || verdict.waitMs > waitMs)
        throw this.#lives.putOff(verdict, this.#error);
      else await waitFor(sleep(verdict.waitMs, signal), signal);
    }
    return await waitFor(this.#current, signal);
  }

  /** A client that nobody else has or gets. */
  async #taken(options: UseOptions): Promise<McpClient> {
    while (true) {
      const client = await this.#connected(options);
      // Of several that waited for one start, the first takes it.
      if (this.#ready !== client) continue;
      this.#current = undefined;
      this.#ready = undefined;
      this.#enter("idle");
      return client;
    }
  }

  async #answered<T>(client: McpClient, work: (client: McpClient) => Promise<T>): Promise<T> {
    const life = this.#clients.get(client);
    try {
      const result = await work(client);
      if (life !== undefined) life.answered = true;
      return result;
    } catch (error) {
      // What is not ours is the server's own error, and so an answer.
      if (life !== undefined && !isHostError(error)) life.answered = true;
      throw error;
    }
  }

  #start(): void {
    const starting = this.#launch();
    starting.catch(() => {});
    this.#current = starting;
  }

  async #launch(): Promise<McpClient> {
    const life: Life = { startedAt: performance.now(), answered: false };
    this.#enter("starting");
    try {
      const client = await launch(this.config, {
        context: this.#context,
        signal: this.#signal,
        onListChanged: (list) => this.#listChanged(list),
      });
      this.#clients.set(client, life);
      this.#ready = client;
      this.#enter("ready");
      void client.closed.then((info) => this.#ended(client, life, info));
      return client;
    } catch (error) {
      const failure = toHostError(error, this.name);
      this.#current = undefined;
      if (failure.code === "server_start" || failure.code === "server_exit")
        this.#lives.ended(life, failure.message);
      this.#enter(failure.code === "cancelled" ? "stopped" : "failed", failure);
      throw failure;
    }
  }

  #ended(client: McpClient, life: Life, info: CloseInfo): void {
    this.#clients.delete(client);
    const wasCurrent = this.#ready === client;
    if (wasCurrent) {
      this.#current = undefined;
      this.#ready = undefined;
    }
    if (info.kind === "local") return;
    this.#lives.ended(life, endText(info));
    const error = endError(this.name, info);
    this.#context.log({ level: "info", server: this.name, text: error.message });
    if (wasCurrent) this.#enter("failed", error);
    // It may have closed its pipes and live on.
    this.#context.keep(Promise.resolve(client[Symbol.asyncDispose]()));
  }

  #listChanged(list: "tools" | "prompts" | "resources"): void {
    if (list === "tools" && this.#lists.changed())
      this.#context.emit({ type: "tools_changed", server: this.name });
  }

  #enter(state: ServerStatus["state"], error?: HostError): void {
    this.#state = state;
    this.#error = error;
    this.#context.emit({ type: "server_state", server: this.name, state, ...(error && { error }) });
  }
}
