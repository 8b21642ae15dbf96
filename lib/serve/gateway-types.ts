/** What the gateway's core is asked, and by whom: it knows no transport. Types only. */
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import type { InputRound } from "../client/types.ts";
import type { OwnServers } from "../host/guest-types.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { RequestId, RpcError } from "../protocol/jsonrpc.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import type { Task } from "../protocol/tasks.ts";
import type { CallBook } from "./calls-book.ts";
import type { News } from "./gateway-news.ts";
import type { Questions, Send } from "./gateway-questions.ts";
import type { Updates } from "./gateway-updates.ts";
import type { Caller, Shares } from "./types.ts";

/** Sends one notification to a client; never throws, never waits. */
export type Notify = (method: string, params: JsonObject) => void;

/** What one end of the gateway shows: all servers under exposed names, or one under its own. */
export interface Scope extends Pick<Caller, "owner" | "allows"> {
  /** The one server. @default all */
  server?: string | undefined;
}

/** Who asks: a legacy client for as long as its session lasts, a modern one for one request. */
export interface Downstream {
  readonly scope: Scope;
  readonly knows: Knowledge;
  /** The least that it wants to be told of logs; undefined: nothing. */
  logLevel: McpLogLevel | undefined;
  /** What a modern client declares with its request. */
  readonly capabilities?: JsonObject;
  /** What all requests of a modern client came on; HTTP does not say which of them are of one client. @default its own */
  readonly link?: object;
  /** What a legacy client has beside its requests. */
  readonly aside?: Aside;
  /** What is behind the gateway for it alone. @default what all have in common */
  readonly guest?: Guest | undefined;
}

/** A legacy client, for as long as its session or link lasts. */
export interface Legacy extends Downstream {
  readonly aside: Aside;
  guest: Guest | undefined;
  /** What servers ask it; undefined where it answers nothing. */
  questions: Questions | undefined;
}

/** What is behind the gateway: requests of clients go through it. */
export interface Behind {
  host: OpenedHost;
  news: News;
  updates: Pick<Updates, "follow">;
}

/** The same for one client, with servers of its own; disposing ends them. */
export interface Guest extends Behind, AsyncDisposable {
  host: OpenedHost & OwnServers;
  /** Who answers what a modern server asks before it answers this request. @default whoever answers for the guest */
  answersOn?(question: Question): Answers;
}

export interface Aside {
  /** Tells it something that belongs to no request. */
  notify: Notify;
  /** Asks it something beside its requests. */
  ask: Send;
  /** What it subscribed to, by URI. */
  readonly subscriptions: Map<string, Disposable>;
  /** Its tasks that run, though none of its requests may. */
  readonly tasks: Set<object>;
}

/** Who is told what came of a request, once; it never throws. */
export interface Told {
  /** The exact JSON text of the result. */
  answered(result: string): void;
  /** `Gateway.faultOf` says it to the client. */
  failed(error: unknown): void;
}

/** One request of a client. */
export interface Question {
  id: RequestId;
  method: string;
  params: JsonObject;
  from: Downstream;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Where there is no signal yet, and being told costs less: who is told then, in its place. */
  onCancel?(work: Cancellable): void;
  /** Tells the client something on the stream of this request, before its answer. */
  readonly notify: Notify;
  /** Asks a legacy client something there. */
  readonly ask?: Send;
  /** Who can be told what came of it, which costs less than a promise. */
  readonly told?: Told;
  /** Its server has made a task of it, and the client need not wait. */
  onTask?(task: Task): void;
  /** As of a call's request: it is to be a task of its server, too. @default false */
  asTask?: boolean;
  /** As of a call's request. @default the server's */
  timeoutMs?: number;
}

/** What is under way for a client. */
export interface Cancellable {
  /** Nobody waits for it any more. */
  cancel(): void;
}

/** What came of it: the text of the result, or, of a round, a result of the server that asks for input. */
export type Made = string | { input: { result: JsonObject; raw: string } };

/** A request that may be asked back about. */
export interface Askable {
  /** It may go on as a task. @default false */
  mayLast?: boolean;
  /** The server that it is for; undefined where nobody knows it. */
  serverOn(question: Question, host: OpenedHost): Promise<string | undefined>;
  /**
   * The question's signal ends it, and its client is told what comes before the answer.
   * @param rounds goes with it: what its server asks is the client's to answer. @default it is answered here
   */
  make(question: Question, rounds?: InputRound): Promise<Made>;
  /** The same without a round, for one who is told. @throws RpcError where it cannot begin */
  tell?(question: Question, told: Told): void;
}

export interface GatewayOptions {
  host: OpenedHost;
  log: Log;
  /** Fires when no new work is taken: what is followed for clients ends in order. */
  stopping: AbortSignal;
  /** Hides what must not be shown in a text about a server. @default nothing is hidden */
  redact?: (text: string) => string;
  /** How long clients that begin wait for servers that are still starting. @default 2000 */
  greetMs?: number;
  /**
   * How long a list waits for servers that do not answer; what they list later is told of. With the greeting it stays below
   * the 10 s that some clients give a server to start. @default 7000
   */
  listMs?: number;
  /** Changes of lists within that time are told once. @default 100 */
  coalesceMs?: number;
  /** Entries of one page of a list. @default 1000 */
  pageMax?: number;
  /** How many clients with servers of their own there may be. */
  guests: Shares;
  /** There are several owners: none of them is to have all of something. @default there is one */
  isShared?: () => boolean;
  /** One that belongs to modern clients, and that nobody used for so long, is closed. @default 300000 */
  guestIdleMs?: number;
  /** How long a request waits for one that is free. @default 10000 */
  guestWaitMs?: number;
  /** How long a client may take to answer what a server asks. @default 600000 */
  answerMs?: number;
  /** The clock in milliseconds since the epoch, by which tasks are dated. @default Date.now */
  now?: () => number;
  /** A clock in ms that only goes up, by which times run out. @default performance.now */
  steady?: () => number;
  /** Where tool calls are written down. @default nowhere */
  calls?: CallBook;
  /** `subscriptions/listen` and resource subscriptions at a time, of all clients. @default 2000 */
  subscriptionsMax?: number;
}

/** The MCP server that we offer to others. Disposing ends what it follows. */
export interface Gateway extends Disposable {
  /** Whether a method exists for clients of an era; others are not asked. */
  has(method: string, from: Downstream): boolean;
  /** Tells whoever asks, at once or later. */
  answer(question: Question & Told): void;
  /** What the client is told of what went wrong. */
  faultOf(error: unknown, question: Question): RpcError;
  /**
   * Takes a legacy client in, by the params of its `initialize`: from now on it is told what belongs to no request of its
   * (lists that changed, logs of servers), and has servers of its own where it needs any. Disposing ends both.
   * @throws HostError `server_start` with `facts.busy`
   */
  admit(client: Legacy, params: JsonObject): Promise<Disposable>;
  /** The result of `initialize`, negotiated as `from` says. */
  initialize(from: Downstream): Promise<string>;
}
