/**
 * How everything but tools is asked of servers: through a live client, from what it allows to be kept, with errors that
 * name the server. It knows no method.
 */
import { HostError } from "../base/errors.ts";
import { AnswerCache } from "../client/cache.ts";
import type { Asked } from "../client/cache.ts";
import type { ListOptions } from "../client/lists.ts";
import type { McpClient, RequestOptions } from "../client/types.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import type { ServerContext } from "./connection-types.ts";
import { partialText, toHostError, toListError } from "./failure.ts";
import type { ResourceListing } from "./feature-types.ts";
import type { HostedServer } from "./server.ts";
import { unknownServer } from "./unknown.ts";
import { givenUp } from "./wait.ts";

type Failures = ResourceListing["failed"];

/** What is wanted of a server, for errors. */
export interface About {
  /** Such as `resources/read of file:///a`. */
  label: string;
  facts: Record<string, unknown>;
}

export interface Waits extends Pick<
  RequestOptions,
  "answers" | "rounds" | "meta" | "logLevel" | "onProgress"
> {
  signal?: AbortSignal;
  timeoutMs?: number;
}

export class Asking {
  /** By name, in the order of the config. */
  readonly servers: ReadonlyMap<string, HostedServer>;
  readonly #context: ServerContext;
  /** Ends with its client. */
  readonly #caches = new WeakMap<McpClient, AnswerCache>();

  constructor(servers: readonly HostedServer[], context: ServerContext) {
    this.servers = new Map(servers.map((server) => [server.name, server]));
    this.#context = context;
  }

  /** One request. @throws HostError: the server's own error as `rpc_error` */
  async ask<T>(
    name: string,
    about: About,
    work: (client: Asked, options: RequestOptions) => Promise<T>,
    { signal: given, timeoutMs, ...told }: Waits,
  ): Promise<T> {
    const server = this.#server(name);
    const signal = this.within(given);
    const options = { ...told, signal, timeoutMs: timeoutMs ?? server.timeoutMs };
    try {
      const wait = { signal, waitMs: timeoutMs, harmless: true };
      return await server.use((client) => work(this.#cached(client), options), wait);
    } catch (error) {
      throw answerOf(error, name, about);
    }
  }

  /**
   * One list of several servers, in parallel, in the order given. One that is not whole is found, and failed as well.
   * @throws HostError `cancelled` and the like when the signal fires, and nothing else
   */
  async gather<T extends { failure?: Error }>(
    names: Iterable<string>,
    method: string,
    work: (client: Asked, options: ListOptions) => Promise<T>,
    given?: AbortSignal,
  ): Promise<{ found: { server: string; list: T }[]; failed: Failures }> {
    const signal = this.within(given);
    const { pagesMax, toolsMax: itemsMax } = this.#context.limits ?? {};
    const one = async (name: string) => {
      try {
        const server = this.#server(name);
        const options = { signal, timeoutMs: server.timeoutMs, pagesMax, itemsMax };
        const list = await server.use((client) => work(this.#cached(client), options), {
          signal,
          harmless: true,
        });
        const { failure } = list;
        return failure === undefined
          ? { list }
          : { list, error: toListError(failure, name, method) };
      } catch (error) {
        return { error: toListError(error, name, method) };
      }
    };
    const order = [...new Set(names)];
    const lists = await Promise.all(order.map(one));
    if (signal.aborted) throw givenUp(signal, lists.find(({ error }) => error)?.error?.facts);
    return {
      found: lists.flatMap(({ list }, at) =>
        list === undefined ? [] : [{ server: order[at] ?? "", list }],
      ),
      failed: lists.flatMap(({ error }, at) =>
        error === undefined ? [] : [{ server: order[at] ?? "", error }],
      ),
    };
  }

  /** Tells of lists that are not whole, where one is only looked into for what it has. */
  tellPartial(what: string, failed: Failures): void {
    for (const { server, error } of failed)
      this.#context.log({ level: "warn", server, text: partialText(what, error) });
  }

  /** A signal that also fires when the host ends. */
  within(given: AbortSignal | undefined): AbortSignal {
    const { signal } = this.#context;
    return given === undefined ? signal : AbortSignal.any([given, signal]);
  }

  // --- internal ---

  /** @throws HostError `usage` */
  #server(name: string): HostedServer {
    const server = this.servers.get(name);
    if (server === undefined) throw unknownServer(name, [...this.servers.keys()]);
    return server;
  }

  #cached(client: McpClient): AnswerCache {
    const known = this.#caches.get(client);
    if (known !== undefined) return known;
    const cache = new AnswerCache(client);
    this.#caches.set(client, cache);
    return cache;
  }
}

// --- internal ---

function answerOf(error: unknown, server: string, { label, facts }: About): HostError {
  if (!(error instanceof RpcError)) return toHostError(error, server);
  const { code: rpcCode, data: rpcData, message } = error;
  const text = `server "${server}" answered ${label} with error ${rpcCode}: ${message}`;
  return new HostError("rpc_error", text, {
    facts: { server, ...facts, rpcCode, ...(rpcData !== undefined && { rpcData }) },
    cause: error,
  });
}
