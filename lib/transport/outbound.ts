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
import type { PeerRequest, PeerRequestOptions } from "./peer-request.ts";
import type { Answer, Peer } from "./peer-types.ts";
import { PendingTable } from "./pending.ts";
import type { GivenUp } from "./pending.ts";
import { PromisedRequest } from "./promised-request.ts";
import { Sendings } from "./sendings.ts";
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
  readonly #sendings = new Sendings({
    sent: (entry) => this.#sent(entry),
    unsent: (entry, error) => this.#unsent(entry, error),
  });

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
    const request = new PromisedRequest(method, params, options);
    this.ask(request);
    return request.promise;
  }

  /** As `Peer.ask`. */
  ask(request: PeerRequest): void {
    const refusal = this.#refusal(request);
    if (refusal !== undefined) return request.failed(refusal);
    const now = performance.now();
    request.id = this.lastId + 1;
    request.capAt = now + request.capMs;
    request.idleAt = now + request.timeoutMs;
    request.heardBefore = this.heard;
    let params: JsonObject;
    try {
      params = request.params(request.id);
    } catch (error) {
      return request.failed(error as Error);
    }
    this.lastId = request.id;
    this.pending.add(request, now);
    this.#handOver(request, params);
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

  #refusal(entry: PeerRequest): HostError | undefined {
    const { name } = this.#options;
    if (this.#ended !== undefined)
      return lostError(name, entry, { sent: false, info: this.#ended });
    const { cancel, signal } = entry.options;
    const isGivenUp = cancel === undefined ? signal?.aborted === true : cancel.isCancelled;
    return isGivenUp ? cancelledError(name, entry, (cancel ?? signal)?.reason) : undefined;
  }

  #handOver(entry: PeerRequest, params: JsonObject): void {
    const { id, method, options } = entry;
    const { headers } = options;
    entry.sent = "sending";
    try {
      const message = { jsonrpc: "2.0", id, method, params } as const;
      const { transport } = this.#options;
      const written =
        headers === undefined ? transport.send(message) : transport.send(message, { headers });
      if (written === undefined) this.#sent(entry);
      else this.#sendings.add(entry, written);
    } catch (error) {
      this.#unsent(entry, error);
    }
  }

  #sent(entry: PeerRequest): void {
    entry.sent = "sent";
    try {
      entry.handedOver();
    } catch (error) {
      this.#debug("onSent failed", error);
    }
  }

  #unsent(entry: PeerRequest, error: unknown): void {
    entry.sent = "unsent";
    const reject = () => {
      if (this.pending.take(entry.id) === undefined) return;
      entry.failed(unsentError(this.#options.name, entry, error));
    };
    // When the link is ending, how it ended is known a moment later and says more.
    if (isHostError(error) && error.code === "server_exit") setTimeout(reject, settleMs);
    else reject();
  }

  #giveUp(entry: PeerRequest, why: GivenUp): void {
    const error = this.#errorOf(entry, why);
    const isTold = this.#options.transport.abandon?.(entry.id) === true;
    if (!isTold && entry.options.cancellable !== false && entry.sent !== "unsent") {
      this.#options.onNotify();
      const params = { requestId: entry.id, reason: error.message };
      void this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    entry.failed(error);
    if (why !== "aborted" && this.heard === entry.heardBefore) this.#options.onSilent?.();
  }

  #errorOf(entry: PeerRequest, why: GivenUp): HostError {
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

  async #lose(entry: PeerRequest, info: CloseInfo): Promise<void> {
    // Whether it got out whole is known a moment after the link ended; if not even then, it may have.
    if (entry.sending !== undefined) await settlesWithin(entry.sending, settleMs);
    const sent = entry.sent !== "unsent";
    entry.failed(lostError(this.#options.name, entry, { sent, info }));
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
