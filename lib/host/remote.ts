/**
 * What is different about using a server that is only reached: it may have forgotten us, and then we connect anew and
 * repeat what it refused, once; and over HTTP a modern one wants some arguments of a call in headers, too. Loaded when
 * such a server is first used. It repeats nothing that may have been done, but questions that change nothing.
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { CallReply, McpClient } from "../client/types.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { CallHeaders } from "./call-headers.ts";
import type { WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import type { CallOptions, HostedConfig } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";

export interface RemoteOptions {
  config: HostedConfig;
  connection: Connection;
  lists: ToolCache;
  /** Sends a call, with headers of its own where it has any. */
  send: (
    client: McpClient,
    call: RemoteCall,
    headers?: Record<string, string>,
  ) => Promise<CallReply>;
}

/** One call, to be sent to whatever client there is by then. */
export interface RemoteCall {
  tool: string;
  args: JsonObject;
  options: CallOptions;
}

type Work<T> = (client: McpClient) => Promise<T>;

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
    return await this.#watched(client, work).catch((error: unknown) =>
      this.#again(client, error, work, options),
    );
  }

  /** As `use`, with a client that nobody else has, and that is closed behind the work. */
  async useAlone<T>(work: Work<T>, options: WaitOptions): Promise<T> {
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

  /**
   * One call with the headers that its tool asks for, as far as its schema is known; where the server finds them wrong the
   * list is fetched anew, and the call, which was not done, is sent once more. @throws as a client's call
   */
  call(call: RemoteCall): Work<CallReply> {
    return (client) =>
      this.#send(client, call).catch((error: unknown) => this.#sendAnew(client, error, call));
  }

  /** As `use` of `call`, with the client that everybody shares, which is there. On the path of every call. */
  async callReady(client: McpClient, call: RemoteCall): Promise<CallReply> {
    let reply: CallReply;
    try {
      reply = await this.#send(client, call);
    } catch (error) {
      return await this.#failed(client, error, call);
    }
    this.#heard(client);
    return reply;
  }

  // --- internal ---

  #send(client: McpClient, call: RemoteCall): Promise<CallReply> {
    return this.#options.send(client, call, this.#headers.of(client, call));
  }

  async #sendAnew(client: McpClient, error: unknown, call: RemoteCall): Promise<CallReply> {
    if (!this.#headers.areWrong(client, error)) throw error;
    const { lists } = this.#options;
    lists.forget();
    await lists.get(client);
    return await this.#send(client, call);
  }

  /** What the first sending of a call failed with is as if the work had thrown it. */
  #failed(client: McpClient, error: unknown, call: RemoteCall): Promise<CallReply> {
    const { cancel, timeoutMs: waitMs } = call.options;
    return this.#watched(client, () => this.#sendAnew(client, error, call)).catch((last: unknown) =>
      this.#again(client, last, this.call(call), { signal: cancel.signal, waitMs }),
    );
  }

  #heard(client: McpClient): void {
    const { connection } = this.#options;
    if (connection.ready === client) connection.condition.heard(client.era);
  }

  /** Does work, and takes notice whether the server is there: what was greeted an earlier time, or long ago, may be gone. */
  async #watched<T>(client: McpClient, work: Work<T>): Promise<T> {
    try {
      const result = await work(client);
      this.#heard(client);
      return result;
    } catch (error) {
      const { connection } = this.#options;
      const { condition } = connection;
      if (isAnswer(error)) this.#heard(client);
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

/** The server refused because it does not know us any more. */
function isForgotten({ code, facts }: HostError): boolean {
  return code === "server_exit" && facts.sent === false && facts.sessionLost === true;
}

/** The server's own error, which only one that is there can send. */
function isAnswer(error: unknown): boolean {
  return error instanceof RpcError || (isHostError(error) && error.cause instanceof RpcError);
}

/**
 * The server is not there; one that has not been heard yet is not there either where something else answers in its place,
 * or a proxy for it.
 */
function isMissed(error: HostError, isKnown: boolean): boolean {
  const { code, facts } = isHostError(error.cause) ? error.cause : error;
  if (facts.sessionLost === true) return false;
  if (!isKnown) return unusable.has(code);
  return code === "server_exit" && facts.sent === false;
}

const unusable: ReadonlySet<string> = new Set([
  "server_exit",
  "server_start",
  "auth_required",
  "rpc_error",
]);

/** The answer broke off: the server may have done what it was asked. */
function isBroken(error: HostError): boolean {
  const { code, facts } = isHostError(error.cause) ? error.cause : error;
  const { httpStatus = 200, sent } = facts;
  return code === "server_exit" && sent === true && httpStatus === 200;
}
