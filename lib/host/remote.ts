/**
 * What is different about using a server that is only reached: it may have forgotten us, and then we connect anew and
 * repeat what it refused, once; and over HTTP a modern one wants some arguments of a call in headers, too. Loaded when
 * such a server is first used. It repeats nothing that may have been done, but questions that change nothing.
 */
import { isHostError } from "../base/errors.ts";
import type { Caller, CallReply, McpClient } from "../client/types.ts";
import { CallHeaders } from "./call-headers.ts";
import type { WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import { orHalf } from "./half.ts";
import type { Work } from "./half.ts";
import { isAnswer, isBroken, isForgotten, isMissed } from "./remote-errors.ts";
import { replyTo, sendCall } from "./send-call.ts";
import type { Sending } from "./send-call.ts";
import type { HostedConfig } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";

export interface RemoteOptions {
  config: HostedConfig;
  connection: Connection;
  lists: ToolCache;
}

/** `harmless`: it changes nothing, so that it may be repeated, even if it was done. */
type UseOptions = WaitOptions & { harmless?: boolean | undefined };

export class Remote {
  readonly #options: RemoteOptions;
  readonly #headers: CallHeaders;

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#headers = new CallHeaders(options.config, options.lists);
  }

  /**
   * Does work with the client that everybody shares, and once more with a new one where the server had forgotten that one
   * (its session, or its era): then nothing was done. Many at a time connect anew once.
   * @throws what the work throws
   */
  async use<T>(work: Work<T>, options: UseOptions): Promise<T> {
    const { connection } = this.#options;
    const client = connection.ready ?? (await connection.shared(options));
    return await orHalf(work, (whole) =>
      this.#watched(client, whole).catch((error: unknown) =>
        this.#again(client, error, whole, options),
      ),
    );
  }

  /** As `use`, with a client that nobody else has, and that is closed behind the work. */
  useAlone<T>(work: Work<T>, options: WaitOptions): Promise<T> {
    return orHalf(work, (whole) => this.#tryAlone(whole, options));
  }

  /**
   * One call with the headers that its tool asks for, as far as its schema is known; where the server finds them wrong the
   * list is fetched anew, and the call, which was not done, is sent once more. @throws as a client's call
   */
  call(sending: Sending): Work<CallReply> {
    return (client) =>
      this.#reply(client, sending).catch((error: unknown) =>
        this.#sendAnew(client, error, sending),
      );
  }

  /** As `use` of `call`, with the client that everybody shares, which is there: `caller` hears how it goes. */
  ask(client: McpClient, sending: Sending, caller: Caller): void {
    const asked = new Asked(this, client, sending, caller);
    sendCall(client, sending, asked, this.#headers.of(client, sending.call));
  }

  /** It is there: it answered. */
  heard(client: McpClient): void {
    const { connection } = this.#options;
    if (connection.ready === client) connection.condition.heard(client.era);
  }

  /** What the first sending of a call failed with is as if the work had thrown it. @throws as a client's call */
  goOn(client: McpClient, sending: Sending, error: unknown): Promise<CallReply> {
    const { call, options } = sending;
    const wait = { signal: call.signal, waitMs: options.timeoutMs };
    return this.#watched(client, () => this.#sendAnew(client, error, sending)).catch(
      (last: unknown) => this.#again(client, last, this.call(sending), wait),
    );
  }

  // --- internal ---

  async #tryAlone<T>(work: Work<T>, options: WaitOptions): Promise<T> {
    const { connection } = this.#options;
    for (let isAgain = false; ; isAgain = true) {
      await using client = await connection.taken(options);
      try {
        return await this.#watched(client, work);
      } catch (error) {
        const isLast = isAgain || options.signal.aborted;
        if (isLast || !isHostError(error) || !isForgotten(error)) throw error;
        connection.renew(client, error);
      }
    }
  }

  #reply(client: McpClient, sending: Sending): Promise<CallReply> {
    return replyTo(client, sending, this.#headers.of(client, sending.call));
  }

  async #sendAnew(client: McpClient, error: unknown, sending: Sending): Promise<CallReply> {
    if (!this.#headers.areWrong(client, error)) throw error;
    const { lists } = this.#options;
    lists.forget();
    await lists.get(client);
    return await this.#reply(client, sending);
  }

  /** Does work, and takes notice whether the server is there: what was greeted an earlier time, or long ago, may be gone. */
  async #watched<T>(client: McpClient, work: Work<T>): Promise<T> {
    try {
      const result = await work(client);
      this.heard(client);
      return result;
    } catch (error) {
      const { connection } = this.#options;
      const { condition } = connection;
      if (isAnswer(error)) this.heard(client);
      else if (isHostError(error) && isMissed(error, condition.state === "ready")) {
        if ((connection.ready ?? client) === client) condition.missed(error);
      }
      throw error;
    }
  }

  async #again<T>(
    client: McpClient,
    error: unknown,
    work: Work<T>,
    options: UseOptions,
  ): Promise<T> {
    if (options.signal.aborted || !isHostError(error)) throw error;
    const { connection } = this.#options;
    if (isForgotten(error)) connection.renew(client, error);
    else if (options.harmless !== true || !isBroken(error)) throw error;
    return await this.#watched(connection.ready ?? (await connection.shared(options)), work);
  }
}

// --- internal ---

/** A call that was asked of a client. */
class Asked implements Caller {
  readonly #remote: Remote;
  readonly #client: McpClient;
  readonly #sending: Sending;
  readonly #caller: Caller;

  constructor(remote: Remote, client: McpClient, sending: Sending, caller: Caller) {
    this.#remote = remote;
    this.#client = client;
    this.#sending = sending;
    this.#caller = caller;
  }

  sent(): void {
    this.#caller.sent();
  }

  answered(reply: CallReply): void {
    this.#remote.heard(this.#client);
    this.#caller.answered(reply);
  }

  failed(error: unknown): void {
    void this.#goOn(error);
  }

  async #goOn(reason: unknown): Promise<void> {
    let reply: CallReply;
    try {
      reply = await this.#remote.goOn(this.#client, this.#sending, reason);
    } catch (last) {
      return this.#caller.failed(last);
    }
    this.#caller.answered(reply);
  }
}
