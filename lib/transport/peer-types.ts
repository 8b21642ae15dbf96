/** What a peer is given and gives: the shapes of `RpcPeer` (peer.ts). */
import type { Json, JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Response } from "../protocol/jsonrpc.ts";
import type { PeerRequest, PeerRequestOptions } from "./peer-request.ts";
import type { CloseInfo } from "./transport.ts";

export interface PeerOptions {
  /** The far side's configured name, for messages and logs. */
  name: string;
  log: Log;
  /**
   * Answers a request of the far side; runs beside our own requests; `signal` fires when the far side cancels it or the
   * link ends. Throw an `RpcError` to answer with that error; absent or anything else thrown is -32601 / -32603.
   */
  onRequest?: (method: string, params: JsonObject, signal: AbortSignal) => Promise<Json>;
  /** How many of its requests are worked on at once; others are refused. @default 100 */
  inboundMax?: number;
  /** Every notification in order, but progress and cancellations that are about a request that is under way. */
  onNotification?: (method: string, params: JsonObject) => void;
  /** A request ran out, and nothing at all was heard since it was begun. */
  onSilent?: (() => void) | undefined;
}

/** An answered request: the response (with `result`) and the exact text of the whole message. */
export interface Answer {
  response: Response;
  text: string;
}

/** One JSON-RPC link: ids (from 1), time-outs, progress, cancellation, both directions. Disposing closes the transport. */
export interface Peer extends AsyncDisposable {
  /**
   * Sends a request. `params` may be a function of the request's id (for the progress token, which is the id).
   * @throws RpcError the far side's error
   * @throws HostError `timeout` · `cancelled` (by `signal`; its reason is the cause) · `server_exit` with `facts.sent`
   *   (link lost) · `rpc_error` (answer too large or malformed)
   */
  request(
    method: string,
    params: JsonObject | ((id: number) => JsonObject),
    options: PeerRequestOptions,
  ): Promise<Answer>;
  /** The same for a request that is told itself what becomes of it, as soon as that is known. */
  ask(request: PeerRequest): void;
  /** @throws HostError `server_exit` */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Closes the link, as disposing does; what waits is told at once `how` it ended, behind "server x". */
  drop(how: string): Promise<void>;
  readonly closed: Promise<CloseInfo>;
}
