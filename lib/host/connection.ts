/**
 * The link to one server through all its lives: opened when first wanted, once for all who wait; opened again after it
 * ended, no sooner than the respawn policy says (a server that we only reach costs nothing to be tried again). It sends
 * nothing by itself.
 */
import { abortable, sleep } from "../base/async.ts";
import type { HostError } from "../base/errors.ts";
import { debug } from "../base/log.ts";
import type { McpClient } from "../client/types.ts";
import type { Session } from "../protocol/mcp.ts";
import type { CloseInfo } from "../transport/transport.ts";
import { Condition } from "./condition.ts";
import type { ConnectionOptions, WaitOptions } from "./connection-types.ts";
import { toHostError } from "./failure.ts";
import { launch } from "./launch.ts";
import { endError, endText, firstAnswer, Lives, stoppedError } from "./lives.ts";
import type { Life } from "./lives.ts";
import { givenUp, waitFor } from "./wait.ts";

export class Connection {
  readonly #options: ConnectionOptions;
  readonly #name: string;
  readonly #scope = new AbortController();
  readonly #lives: Lives;
  /** The clients that are connected, each with its life. */
  readonly #clients = new Map<McpClient, Life>();
  #current: Promise<McpClient> | undefined;
  /** The client of `#current`, once it is there. */
  #ready: McpClient | undefined;
  /** What is remembered of the server's era is wrong. */
  #isEraLost = false;
  /** What the next link goes on with. */
  #session: Session | undefined;
  /** How it is, and where it is not up, why. */
  readonly condition: Condition;
  /** Fires when this ends, or the host ends. */
  readonly signal: AbortSignal;

  constructor(options: ConnectionOptions) {
    const { config, context, emit } = options;
    this.#options = options;
    this.#name = config.name;
    this.#lives = new Lives(config);
    this.condition = new Condition(config.name, emit);
    this.signal = AbortSignal.any([context.signal, this.#scope.signal]);
  }

  /** The live client that everybody shares, if there is one. */
  get ready(): McpClient | undefined {
    return this.#ready;
  }

  /** The client that everybody shares. @throws HostError `server_start` and as `launch`; `cancelled` */
  async shared({ signal, waitMs }: WaitOptions): Promise<McpClient> {
    const at = { server: this.#name };
    while (this.#current === undefined) {
      if (this.signal.aborted) throw givenUp(this.signal);
      const verdict = this.#lives.next();
      if (verdict.do === "start") {
        this.#current = this.#launch();
        this.#current.catch(() => {});
      } else if (verdict.do === "refuse" || verdict.waitMs > waitMs)
        throw this.#lives.putOff(verdict, this.condition.error);
      else await waitFor(sleep(verdict.waitMs, signal), signal, at);
    }
    return await waitFor(this.#current, signal, at);
  }

  /** A client that nobody else has or gets: who takes it disposes it. @throws as `shared` */
  async taken(options: WaitOptions): Promise<McpClient> {
    let client = await this.shared(options);
    // Of several that waited for one start, the first takes it.
    while (this.#ready !== client) client = await this.shared(options);
    this.#letGo();
    return client;
  }

  /** Lets go of a client that its server knows no more, once for all who had it; what is in flight has its own answer. */
  renew(client: McpClient, lost: HostError): void {
    this.#isEraLost ||= lost.facts.eraLost === true;
    if (this.#ready !== client) return;
    debug(this.#options.context.log, this.#name, () => `connecting anew: ${lost.message}`);
    this.#letGo();
  }

  /** Stops what everybody shares, if it is up; the next use starts it again, and counts it as no failure. */
  async rest(): Promise<boolean> {
    const client = this.#ready;
    if (client === undefined) return false;
    this.#letGo();
    await client[Symbol.asyncDispose]();
    return true;
  }

  /** The next link goes on with a session; one that the server knows no more is begun anew. */
  resume(session: Session): void {
    this.#session = session;
  }

  /** Whether it is known of a client that its life is of use: nobody has to watch it. */
  isProven(client: McpClient): boolean {
    return this.#clients.get(client)?.answered !== false;
  }

  /** Hands on the answer to a call: whatever the server answers, its life was of use. */
  watch<T>(client: McpClient, answer: Promise<T>): Promise<T> {
    const life = this.#clients.get(client);
    return life?.answered === false ? firstAnswer(life, answer) : answer;
  }

  /** Stops the server for good. Where `how` it ended is given, what is under way is told so at once, behind "server x". */
  async end(how?: string): Promise<void> {
    this.#scope.abort(stoppedError(this.#name, how));
    await this.#current?.catch(() => {});
    await Promise.all(
      Array.from(this.#clients.keys(), (client) =>
        how === undefined ? client[Symbol.asyncDispose]() : client.drop(how),
      ),
    );
    if (this.condition.state !== "idle") this.condition.enter("stopped");
  }

  // --- internal ---

  /** The client is not everybody's any more, and the next use starts another. */
  #letGo(error?: HostError): void {
    this.#current = undefined;
    this.#ready = undefined;
    this.condition.enter(error === undefined ? "idle" : "failed", error);
  }

  async #launch(): Promise<McpClient> {
    const { config, context, after, onListChanged } = this.#options;
    const life: Life = { startedAt: performance.now(), answered: false, isDoubted: false };
    const session = this.#session;
    this.#session = undefined;
    this.condition.enter("starting");
    try {
      if (after !== undefined) await abortable(after, this.signal);
      const client = await launch(config, {
        context,
        signal: this.signal,
        onListChanged,
        // Nobody waits for that, and it may fail: then all is as before.
        onSilent: () => void this.#doubt(life).catch(() => (life.isDoubted = false)),
        forget: this.#isEraLost,
        session,
      });
      this.#isEraLost = false;
      life.client = client;
      this.#clients.set(client, life);
      this.#ready = client;
      if (client.isRemembered !== true) this.condition.greeted(client.era);
      void client.closed.then((info) => this.#ended(client, life, info));
      return client;
    } catch (error) {
      const failure = toHostError(error, this.#name);
      this.#current = undefined;
      if (failure.code === "server_start" || failure.code === "server_exit")
        this.#lives.ended(life, failure.message);
      this.condition.enter(failure.code === "cancelled" ? "stopped" : "failed", failure);
      throw failure;
    }
  }

  /** A request ran out in silence: a server that does not even answer a ping is stopped, and its next use starts it again. */
  async #doubt(life: Life): Promise<void> {
    const { client } = life;
    if (client === undefined || life.isDoubted) return;
    life.isDoubted = true;
    const { context } = this.#options;
    const room = await import("./watchdog.ts");
    const isThere = await room.isThere(client, { pingMs: context.pingMs, signal: this.signal });
    life.isDoubted = !isThere;
    if (isThere || !this.#clients.has(client)) return;
    this.#lives.ended(life, room.muteText);
    if (this.#ready === client) this.#letGo(room.muteError(this.#name));
    context.log({ level: "warn", server: this.#name, text: room.muteLog });
    context.keep(client.drop(room.muteEnd));
  }

  #ended(client: McpClient, life: Life, info: CloseInfo): void {
    this.#clients.delete(client);
    const wasCurrent = this.#ready === client;
    if (wasCurrent) {
      this.#current = undefined;
      this.#ready = undefined;
    }
    if (info.kind === "local") return;
    const { log, keep } = this.#options.context;
    this.#lives.ended(life, endText(info));
    const error = endError(this.#name, info);
    // Whoever had one that was not everybody's is told by its own request.
    log({ level: wasCurrent ? "info" : "debug", server: this.#name, text: error.message });
    if (wasCurrent) this.condition.enter("failed", error);
    // It may have closed its pipes and live on.
    keep(Promise.resolve(client[Symbol.asyncDispose]()));
  }
}
