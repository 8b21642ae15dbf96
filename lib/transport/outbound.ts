/**
 * Our requests on one link, from the sending to the giving up: the caller's signal, the time that ran out, the link that
 * ended. Answers come in elsewhere (replies.ts).
 */
import { settlesWithin } from "../base/async.ts";
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { cancelledError, lostError, timeoutError, unsentError } from "./peer-errors.ts";
import type { Answer, Peer, PeerRequestOptions } from "./peer-types.ts";
import { capOf, PendingTable } from "./pending.ts";
import type { GivenUp, Pending } from "./pending.ts";
import type { CloseInfo, Transport } from "./transport.ts";

export interface OutboundOptions {
  /** The far side's configured name. */
  name: string;
  log: Log;
  transport: Transport;
  /** Called before each notification is sent. */
  onNotify: () => void;
  /** As of the peer. */
  onSilent?: (() => void) | undefined;
}

export class Outbound {
  readonly pending: PendingTable;
  /** The highest id that was used so far. */
  lastId: number;
  /** How many messages came in so far. */
  heard = 0;
  readonly #options: OutboundOptions;
  #ended: CloseInfo | undefined;

  constructor(options: OutboundOptions) {
    this.#options = options;
    this.lastId = options.transport.idsFrom ?? 0;
    this.pending = new PendingTable((entry, why) => this.#giveUp(entry, why));
  }

  /** As `Peer.request`. */
  request(
    method: string,
    params: Parameters<Peer["request"]>[1],
    options: PeerRequestOptions,
  ): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const now = performance.now();
    const entry: Pending = {
      id: this.lastId + 1,
      method,
      options,
      hasToken: typeof params === "function",
      capAt: now + capOf(options),
      idleAt: now + options.timeoutMs,
      progress: Number.NEGATIVE_INFINITY,
      sent: "unsent",
      sending: undefined,
      stray: undefined,
      heardBefore: this.heard,
      resolve,
      reject,
    };
    const refusal = this.#refusal(entry);
    if (refusal !== undefined) return Promise.reject(refusal);
    try {
      const body = typeof params === "function" ? params(entry.id) : params;
      this.lastId = entry.id;
      this.pending.add(entry, now);
      this.#handOver(entry, body);
    } catch (error) {
      reject(error);
    }
    return promise;
  }

  /** As `Peer.notify`. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    const { name, transport, onNotify } = this.#options;
    if (this.#ended !== undefined)
      throw lostError(name, { method }, { sent: false, info: this.#ended });
    onNotify();
    await transport.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
  }

  /** Sends without anybody waiting; what fails is a debug entry. */
  async post(message: Message): Promise<void> {
    try {
      await this.#options.transport.send(message);
    } catch (error) {
      this.#debug("a message was not sent", error);
    }
  }

  /** The link ended: everything that waits, and everything later, fails. */
  end(info: CloseInfo): void {
    this.#ended = info;
    for (const entry of this.pending.clear()) void this.#lose(entry, info);
  }

  #refusal(entry: Pending): HostError | undefined {
    const { name } = this.#options;
    if (this.#ended !== undefined)
      return lostError(name, entry, { sent: false, info: this.#ended });
    const { cancel, signal } = entry.options;
    const isGivenUp = cancel === undefined ? signal?.aborted === true : cancel.isCancelled;
    return isGivenUp ? cancelledError(name, entry, (cancel ?? signal)?.reason) : undefined;
  }

  #handOver(entry: Pending, params: JsonObject): void {
    const { id, method, options } = entry;
    const { headers } = options;
    entry.sent = "sending";
    try {
      const message = { jsonrpc: "2.0", id, method, params } as const;
      const { transport } = this.#options;
      const written =
        headers === undefined ? transport.send(message) : transport.send(message, { headers });
      entry.sending = written.then(
        () => this.#sent(entry),
        (error: unknown) => this.#unsent(entry, error),
      );
    } catch (error) {
      this.#unsent(entry, error);
    }
  }

  #sent(entry: Pending): void {
    entry.sent = "sent";
    try {
      entry.options.onSent?.();
    } catch (error) {
      this.#debug("onSent failed", error);
    }
  }

  #unsent(entry: Pending, error: unknown): void {
    entry.sent = "unsent";
    const reject = () => {
      if (this.pending.take(entry.id) === undefined) return;
      entry.reject(unsentError(this.#options.name, entry, error));
    };
    // When the link is ending, how it ended is known a moment later and says more.
    if (isHostError(error) && error.code === "server_exit") setTimeout(reject, settleMs);
    else reject();
  }

  #giveUp(entry: Pending, why: GivenUp): void {
    const error = this.#errorOf(entry, why);
    const isTold = this.#options.transport.abandon?.(entry.id) === true;
    if (!isTold && entry.options.cancellable !== false && entry.sent !== "unsent") {
      this.#options.onNotify();
      const params = { requestId: entry.id, reason: error.message };
      void this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    entry.reject(error);
    if (why !== "aborted" && this.heard === entry.heardBefore) this.#options.onSilent?.();
  }

  #errorOf(entry: Pending, why: GivenUp): HostError {
    const { name, transport } = this.#options;
    const { cancel, signal } = entry.options;
    if (why === "aborted") return cancelledError(name, entry, (cancel ?? signal)?.reason);
    const isSilent = this.heard === entry.heardBefore;
    return timeoutError(name, entry, {
      link: transport.facts(),
      capped: why === "capped",
      isSilent,
    });
  }

  async #lose(entry: Pending, info: CloseInfo): Promise<void> {
    // Whether it got out whole is known a moment after the link ended; if not even then, it may have.
    if (entry.sending !== undefined) await settlesWithin(entry.sending, settleMs);
    const sent = entry.sent !== "unsent";
    entry.reject(lostError(this.#options.name, entry, { sent, info }));
  }

  #debug(what: string, error: unknown): void {
    const { name, log } = this.#options;
    const text = error instanceof Error ? error.message : String(error);
    log({ level: "debug", server: name, text: `${what}: ${text}` });
  }
}

// --- internal ---

/** How long the end of a link and the end of a write may come apart. */
const settleMs = 250;
