/**
 * What is different about using a server that is only reached: it may have forgotten us, and then we connect anew and
 * repeat what it refused, once; and over HTTP a modern one wants some arguments of a call in headers, too. Loaded when
 * such a server is first used. It repeats nothing that may have been done, but questions that change nothing.
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { CallReply, McpClient, ToolList } from "../client/types.ts";
import { argumentHeaders, headerFault } from "../protocol/argument-headers.ts";
import type { ArgumentHeaders } from "../protocol/argument-headers.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { headerMismatch } from "../protocol/meta.ts";
import type { WaitOptions } from "./connection-types.ts";
import type { Connection } from "./connection.ts";
import type { HostedConfig } from "./server-types.ts";
import type { ToolCache } from "./tool-list.ts";

export interface RemoteOptions {
  config: HostedConfig;
  connection: Connection;
  lists: ToolCache;
}

type Work<T> = (client: McpClient) => Promise<T>;

/** How a call is sent: with headers of its own, where it has any. */
export type SendCall = (client: McpClient, headers?: Record<string, string>) => Promise<CallReply>;

/** `harmless`: it changes nothing, so that it may be repeated, even if it was done. */
type UseOptions = WaitOptions & { harmless?: boolean | undefined };

export class Remote {
  readonly #options: RemoteOptions;
  /** What the tools of one list want in headers, as far as they were called. */
  #wanted = new Map<string, ArgumentHeaders | undefined>();
  #wantedBy: ToolList | undefined;

  constructor(options: RemoteOptions) {
    this.#options = options;
  }

  /**
   * Does work with the client that everybody shares, and once more with a new one where the server had forgotten that one
   * (its session, or its era): then nothing was done. Many at a time connect anew once.
   * @throws what the work throws
   */
  async use<T>(work: Work<T>, options: UseOptions): Promise<T> {
    const { connection } = this.#options;
    return await this.useReady(
      connection.ready ?? (await connection.shared(options)),
      work,
      options,
    );
  }

  /** As `use`, where that client is there already. */
  useReady<T>(client: McpClient, work: Work<T>, options: UseOptions): Promise<T> {
    return this.#watched(client, work).catch((error: unknown) =>
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
   * list is fetched anew, and the call, which was not done, is sent once more. @throws as `send`
   */
  call(tool: string, args: JsonObject, send: SendCall): Work<CallReply> {
    const { config, lists } = this.#options;
    return (client) => {
      if (!wantsHeaders(client, config)) return send(client);
      return send(client, this.#headersOf(tool)?.(args)).catch(async (error: unknown) => {
        if (!(error instanceof RpcError) || error.code !== headerMismatch) throw error;
        lists.forget();
        await lists.get(client);
        return await send(client, this.#headersOf(tool)?.(args));
      });
    };
  }

  // --- internal ---

  /** Does work, and takes notice whether the server is there: what was greeted an earlier time, or long ago, may be gone. */
  async #watched<T>(client: McpClient, work: Work<T>): Promise<T> {
    const { connection } = this.#options;
    const { condition } = connection;
    try {
      const result = await work(client);
      if (connection.ready === client) condition.heard(client.era);
      return result;
    } catch (error) {
      if (isAnswer(error)) {
        if (connection.ready === client) condition.heard(client.era);
      } else if (isHostError(error) && isMissed(error, condition.state === "ready")) {
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

  #headersOf(tool: string): ArgumentHeaders | undefined {
    const { last } = this.#options.lists;
    if (last !== this.#wantedBy) {
      this.#wantedBy = last;
      this.#wanted = new Map();
    }
    if (!this.#wanted.has(tool)) {
      const schema = last?.tools.find(({ name }) => name === tool)?.inputSchema;
      this.#wanted.set(tool, schema && argumentHeaders(schema));
    }
    return this.#wanted.get(tool);
  }
}

/** A list without the tools that must not be used over HTTP, each with its reason (protocol.md 1.5). */
export function usableTools(list: ToolList, client: McpClient, config: HostedConfig): ToolList {
  if (!wantsHeaders(client, config)) return list;
  const warnings = [...list.warnings];
  const tools = list.tools.filter(({ name, inputSchema }) => {
    const fault = headerFault(inputSchema);
    if (fault === undefined) return true;
    warnings.push(`tool ${JSON.stringify(name.slice(0, 100))}: ${fault}: left out`);
    return false;
  });
  return { ...list, tools, warnings };
}

// --- internal ---

/** Only Streamable HTTP has headers, and only the modern era asks for them. */
function wantsHeaders({ era }: McpClient, config: HostedConfig): boolean {
  return era === "modern" && config.kind === "http" && !/^wss?:/i.test(config.url);
}

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
