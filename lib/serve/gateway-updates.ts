/**
 * Resources that clients subscribe to. Each is followed once for all of them, and let go of with the last: to its server
 * we are one client (protocol.md 2.6). What a client is told is only what it asked for.
 */
import { HostError, isHostError } from "../base/errors.ts";
import { withDigits } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { internalError, RpcError } from "../protocol/jsonrpc.ts";
import { onwardMeta } from "./gateway-meta.ts";

/** Params of `notifications/resources/updated`, with the server's own URI. */
export type UpdateListener = (params: JsonObject & { uri: string }) => void;

export interface UpdatesOptions {
  host: Pick<OpenedHost, "subscribe">;
  log: Log;
  /** Resources that are followed at a time. */
  followedMax: number;
}

interface Followed {
  listeners: Set<UpdateListener>;
  scope: AbortController;
  /** Settles once its server has agreed. */
  opened: Promise<void>;
}

export class Updates implements Disposable {
  readonly #options: UpdatesOptions;
  readonly #followed = new Map<string, Followed>();

  constructor(options: UpdatesOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the server has agreed; disposing leaves.
   * @throws HostError as `Host.subscribe`; RpcError -32603 where too many are followed
   */
  async follow(
    { server, uri }: { server: string; uri: string },
    listener: UpdateListener,
  ): Promise<Disposable> {
    const key = JSON.stringify([server, uri]);
    const followed = this.#followed.get(key) ?? this.#begin(key, server, uri);
    // One function may be there several times.
    const own: UpdateListener = (params) => listener(params);
    followed.listeners.add(own);
    const leave = () => {
      followed.listeners.delete(own);
      if (followed.listeners.size === 0) this.#end(key, followed);
    };
    try {
      await followed.opened;
    } catch (error) {
      leave();
      throw error;
    }
    return { [Symbol.dispose]: leave };
  }

  [Symbol.dispose](): void {
    for (const [key, followed] of this.#followed) this.#end(key, followed);
  }

  // --- internal ---

  #begin(key: string, server: string, uri: string): Followed {
    const { host, log, followedMax } = this.#options;
    if (this.#followed.size >= followedMax)
      throw new RpcError({
        code: internalError,
        message: `${followedMax} resources are subscribed to: no more for now`,
      });
    const scope = new AbortController();
    const opened = Promise.withResolvers<void>();
    const listeners: Followed["listeners"] = new Set();
    const tell = (params: JsonObject & { uri: string }) => {
      for (const listener of listeners) listener(params);
    };
    const followed: Followed = { listeners, scope, opened: opened.promise };
    this.#followed.set(key, followed);
    const over = (error?: unknown) => {
      this.#end(key, followed);
      const why = `server "${server}": the subscription to ${uri} ended before it had begun`;
      opened.reject(error ?? new HostError("cancelled", why, { facts: { server } }));
    };
    host
      .subscribe({
        server,
        uris: [uri],
        signal: scope.signal,
        onOpen: () => opened.resolve(),
        onUpdate(update) {
          // After a gap it may have changed as well.
          if (update.kind === "resource") tell({ ...onward(update.params), uri: update.uri });
          else if (update.kind === "stale") tell({ uri });
        },
      })
      .then(
        () => over(),
        (error: unknown) => {
          const text = isHostError(error) ? error.message : String(error);
          log({ level: "debug", server, text: `the subscription to ${uri} ended: ${text}` });
          over(error);
        },
      );
    opened.promise.catch(() => {});
    return followed;
  }

  #end(key: string, followed: Followed): void {
    if (this.#followed.get(key) === followed) this.#followed.delete(key);
    followed.scope.abort();
  }
}

// --- internal ---

/** Without what speaks of our own subscription. */
function onward(params: JsonObject): JsonObject {
  const { _meta, ...rest } = withDigits(params);
  const meta = onwardMeta({ _meta });
  return meta === undefined ? rest : { ...rest, _meta: meta };
}
