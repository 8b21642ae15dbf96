/**
 * Our requests on one link, from the sending to the giving up: the caller's signal, the time that ran out, the link that
 * ended. Answers come in elsewhere (replies.ts).
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Message } from "../protocol/jsonrpc.ts";
import { cancelledError, lostError, timeoutError, unsentError } from "./peer-errors.ts";
import type { Answer, Peer } from "./peer-types.ts";
import { pendingTable } from "./pending.ts";
import type { Pending, PendingTable } from "./pending.ts";
import type { CloseInfo, Transport } from "./transport.ts";

export interface Outbound {
  readonly pending: PendingTable;
  /** The highest id that was used so far. */
  readonly lastId: number;
  request: Peer["request"];
  notify: Peer["notify"];
  /** Sends without anybody waiting; what fails is a debug entry. */
  post(message: Message): void;
  /** The link ended: everything that waits, and everything later, fails. */
  end(info: CloseInfo): void;
}

export interface OutboundOptions {
  /** The far side's configured name. */
  name: string;
  log: Log;
  /** Called before each notification is sent. */
  onNotify: () => void;
}

export function outbound(transport: Transport, options: OutboundOptions): Outbound {
  const { name, log, onNotify } = options;
  let lastId = 0;
  let ended: CloseInfo | undefined;

  const debug = (what: string, error: unknown): void => {
    const text = error instanceof Error ? error.message : String(error);
    log({ level: "debug", server: name, text: `${what}: ${text}` });
  };

  const attempt = (onSent: (() => void) | undefined): void => {
    try {
      onSent?.();
    } catch (error) {
      debug("onSent failed", error);
    }
  };

  const post = (message: Message): void => {
    transport.send(message).catch((error: unknown) => {
      debug("a message was not sent", error);
    });
  };

  const giveUp = (entry: Pending, error: HostError): void => {
    entry.detach?.();
    if (entry.options.cancellable !== false && entry.sent !== "unsent") {
      onNotify();
      const params = { requestId: entry.id, reason: error.message };
      post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    entry.reject(error);
  };

  const pending = pendingTable((entry, capped) => {
    giveUp(entry, timeoutError(name, entry, { link: transport.facts(), capped }));
  });

  const unsent = (entry: Pending, error: unknown): void => {
    entry.sent = "unsent";
    const reject = () => {
      if (pending.take(entry.id) === undefined) return;
      entry.detach?.();
      entry.reject(unsentError(name, entry.method, error));
    };
    // When the link is ending, how it ended is known a moment later and says more.
    if (isHostError(error) && error.code === "server_exit") setTimeout(reject, settleMs);
    else reject();
  };

  const request: Peer["request"] = (method, params, requestOptions) =>
    new Promise<Answer>((resolve, reject) => {
      const { signal } = requestOptions;
      const id = lastId + 1;
      const entry = {
        ...{ id, method, options: requestOptions, resolve, reject },
        hasToken: typeof params === "function",
        since: performance.now(),
        sent: "unsent",
        sending: undefined,
      } satisfies Pending as Pending;
      if (ended !== undefined) return reject(lostError(name, { method, sent: false, info: ended }));
      if (signal?.aborted === true) return reject(cancelledError(name, entry, signal.reason));
      const body = typeof params === "function" ? params(id) : params;
      lastId = id;
      pending.add(entry);
      if (signal !== undefined) {
        const onAbort = () => {
          if (pending.take(id)) giveUp(entry, cancelledError(name, entry, signal.reason));
        };
        signal.addEventListener("abort", onAbort, { once: true });
        entry.detach = () => signal.removeEventListener("abort", onAbort);
      }
      entry.sent = "sending";
      entry.sending = transport.send({ jsonrpc: "2.0", id, method, params: body }).then(
        () => {
          entry.sent = "sent";
          attempt(requestOptions.onSent);
        },
        (error: unknown) => unsent(entry, error),
      );
    });

  const lose = async (entry: Pending, info: CloseInfo): Promise<void> => {
    entry.detach?.();
    // Whether it got out whole is known a moment after the link ended; if not even then, it may have.
    if (entry.sent === "sending") await Promise.race([entry.sending, Bun.sleep(settleMs)]);
    const { method, sent } = entry;
    entry.reject(lostError(name, { method, sent: sent !== "unsent", info }));
  };

  return {
    pending,
    get lastId() {
      return lastId;
    },
    request,
    async notify(method, params) {
      if (ended !== undefined) throw lostError(name, { method, sent: false, info: ended });
      onNotify();
      await transport.send({ jsonrpc: "2.0", method, ...(params !== undefined && { params }) });
    },
    post,
    end(info) {
      ended = info;
      for (const entry of pending.clear()) void lose(entry, info);
    },
  };
}

// --- internal ---

/** How long the end of a link and the end of a write may come apart. */
const settleMs = 250;
