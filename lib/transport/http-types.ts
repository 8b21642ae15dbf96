/** What the parts of the Streamable HTTP transport share: one request on its way, and the times that bound it. Types only. */
import type { Deadlines } from "../base/deadlines.ts";
import type { HostError } from "../base/errors.ts";
import type { Request, RequestId } from "../protocol/jsonrpc.ts";
import type { Session } from "../protocol/mcp.ts";
import type { RemoteOptions } from "./remote.ts";
import type { Incoming } from "./transport.ts";
import type { TextReader } from "./whole-text.ts";

/** Times in milliseconds. */
export interface HttpTimes {
  /** The first wait before a stream is opened again, where the server names none; doubled each time. @default 1000 */
  reconnectMs: number;
  /** How long a stream may stay open behind the answer it was for. @default 1000 */
  lingerMs: number;
  /** How long the body of a refusal is read. @default 2000 */
  refusalMs: number;
  /** How long the end of a session may take. @default 500 */
  deleteMs: number;
  /** How long other requests in flight may take to be refused, too, when a session is lost. @default 1000 */
  settleMs: number;
  /** How long the server's own stream is waited for, where questions may come on it. @default 500 */
  openMs: number;
  /** How long our own end waits for messages without an answer that are on their way. @default 200 */
  tellMs: number;
}

export interface HttpOptions extends RemoteOptions {
  /** A session that is gone on with: it is not begun, and not ended with the link. */
  session?: Session | undefined;
  times?: Partial<HttpTimes> | undefined;
}

/** One request of ours, until its answer is there. */
export interface Exchange {
  readonly id: RequestId;
  readonly message: Request;
  readonly isModern: boolean;
  /** It carried a session id. */
  readonly hadSession: boolean;
  /** Ends its HTTP request. */
  readonly ending: AbortController;
  /** Its answer, or its failure, was handed on. */
  isAnswered: boolean;
  /** An id that nothing was sent under and that its response was for. */
  stray: string | undefined;
  /** What came in an event that is no message, for the error where nothing else does. */
  aside: string | undefined;
  /** Called when it is answered or has failed. */
  onAnswered: (() => void) | undefined;
}

/** What a stream of events comes in. */
export type Streamed = Pick<Response, "body">;

/** How a connection of a stream ended: whether it brought anything new, and what broke it, if something did. */
export interface Ending {
  isNew: boolean;
  error?: unknown;
}

/** What reading an answer needs of the link. */
export interface Link {
  readonly options: HttpOptions;
  readonly times: HttpTimes;
  readonly read: TextReader;
  /** What reads answers that come in streams (http-stream.ts), once one came. */
  readStream: ((from: Streamed, exchange: Exchange, link: Link) => Promise<Ending>) | undefined;
  /** Streams that are still open behind the answer that they were for. */
  readonly lingering: Deadlines;
  /** Resolves when the server's own stream is over, or is not to be had; undefined before it is asked for. */
  ownStream: Promise<void> | undefined;
  /** How many streams are read that answered what has no answer. */
  remarks: number;
  /** Hands on what a body brought; `exchange`: what it answers. To be awaited where it gives a promise. */
  take(items: readonly Incoming[], exchange?: Exchange): Promise<void> | undefined;
  /** One request to the server. Throws what the injected `fetch` throws. */
  fetch(init: RequestInit): Promise<Response>;
  /** Opens an event stream of the session. Throws what `fetch` throws. */
  get(lastEventId: string | undefined, signal: AbortSignal): Promise<Response>;
  /** What is sent carries a session id. */
  readonly hasSession: boolean;
  /** The server does not know the session any more: the link ends. */
  loseSession(httpStatus: number): void;
  /** Nothing is there any more where the server was, as an error says: the link ends. */
  loseServer(error: HostError): void;
}
