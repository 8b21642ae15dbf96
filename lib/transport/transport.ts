/** How messages move: the interface that stdio, memory, http, sse and ws offer. It knows no method and no tool. */
import type { Feed } from "../base/channel.ts";
import type { HostError } from "../base/errors.ts";
import type { Message, RequestId } from "../protocol/jsonrpc.ts";
import type { Session } from "../protocol/mcp.ts";

/** One received message, with the exact text it came as (so that results can be printed byte for byte). */
export interface Received {
  message: Message;
  text: string;
  /** An answer behind other text on its line: perhaps only quoted there, and then the real one is still to come. */
  behindNoise?: true;
}

/** A message that was too large to take. The reader has gone on behind it; `id` is there when it could be made out. */
export interface Oversize {
  oversize: {
    bytes: number;
    bytesMax: number;
    id?: RequestId;
    /** It had a method: a request or notification, so it answers nothing of ours. */
    call?: true;
    /** Why it was not taken, where that was not its size. */
    reason?: string;
  };
}

/**
 * A request of ours that gets no answer on a link that goes on: an HTTP exchange that was refused or broke. The error's
 * code says what follows: `server_exit` with `facts.sent` (lost, or never sent), `rpc_error` (an answer that is none),
 * `auth_required`; `facts.httpStatus` and the like are the evidence.
 */
export interface Failed {
  failed: { id: RequestId; error: HostError };
}

export type Incoming = Received | Oversize | Failed;

/** Why a transport closed, as facts. */
export interface CloseInfo {
  /** `exit`: the process ended; `eof`: it closed its stdout and lives on; `local`: we closed; `error`: the link broke. */
  kind: "exit" | "eof" | "local" | "error";
  exitCode?: number;
  signal?: string;
  /** What the process started goes on without it. */
  leaves?: true;
  httpStatus?: number;
  /** Why a WebSocket was closed (RFC 6455, 7.4). */
  closeCode?: number;
  /** How it ended, behind "server x", where the link can say more than `kind`: "ended its event stream". */
  how?: string;
  /** Last stderr lines, oldest first. */
  stderr?: string[];
  /** Lines on stdout that were no message: how many, and the first ones (clipped). */
  noise?: { count: number; first: string[]; contentLength: boolean };
  /** Characters of messages were lost: they were not written in UTF-8. */
  lostCharacters?: true;
  error?: unknown;
}

export interface SendOptions {
  signal?: AbortSignal;
  /** Headers for this message alone, beside the link's own; only HTTP has any. */
  headers?: Readonly<Record<string, string>> | undefined;
}

/** One link to one peer. Disposing closes it and waits until its resources are gone. */
export interface Transport extends AsyncDisposable {
  /** How many messages came, where that is counted. */
  readonly heard?: number;
  /**
   * Sends one message. Resolves when it is handed over whole (backpressure is awaited); undefined: it is already. Messages
   * that go together may share one promise.
   * @throws HostError `server_exit` when the link is closed.
   */
  send(message: Message, options?: SendOptions): Promise<void> | undefined;
  /** Everything the peer sends, in order; ends when the link is closed. */
  readonly incoming: Feed<Incoming>;
  /** Resolves once, after the last incoming message; never rejects. */
  readonly closed: Promise<CloseInfo>;
  /**
   * Nobody waits for the answer to this request any more: what is held for it is let go. True where that alone tells the
   * far side (a modern HTTP stream is closed); false, or absent: it must be told by a notification.
   */
  abandon?(id: RequestId): boolean;
  /**
   * Lets the far side's session, where there is one, outlive this link, and says how it is gone on with; undefined, or absent:
   * it ends with the link.
   */
  keepSession?(): Session | undefined;
  /** Closing it has something to tell the far side, or waits for what is on its way; absent: it may have. */
  owes?(): boolean;
  /** The ids of our requests are larger than this: those below may have been used in the session before. @default 0 */
  readonly idsFrom?: number;
  /** Facts so far, for error messages while the link is open (a silent server's stderr, noise). */
  facts(): Pick<CloseInfo, "stderr" | "noise" | "lostCharacters">;
}
