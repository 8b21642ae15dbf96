/** The types of one live MCP client, so that the rooms above see one shape whatever the era. */
import type { Cancel } from "../base/cancel.ts";
import type { JsonObject } from "../base/json.ts";
import type {
  Capabilities,
  Era,
  Implementation,
  McpLogLevel,
  Progress,
  Session,
  Tool,
  ToolResult,
} from "../protocol/mcp.ts";
import type { Task, TaskSupport } from "../protocol/tasks.ts";
import type { CloseInfo } from "../transport/transport.ts";
import type { Answers } from "./answer-types.ts";
import type { Verdict } from "./connect-types.ts";

export interface RequestOptions {
  signal?: AbortSignal;
  /** In place of `signal`, where many requests are made. */
  cancel?: Cancel;
  /** Idle time, renewed by progress. @default 60000 */
  timeoutMs?: number;
  /** Hard cap. @default 10 × timeoutMs */
  timeoutMaxMs?: number;
  onProgress?: (progress: Progress) => void;
  /** Called once, when the request has been handed to the transport whole. */
  onSent?: () => void;
  /** Headers for this request alone; only HTTP has any. */
  headers?: Readonly<Record<string, string>>;
  /** More for `_meta` of the request, such as a trace; the keys of the protocol win. */
  meta?: JsonObject;
  /** What this request may log, where that is said with each (modern). @default the connection's */
  logLevel?: McpLogLevel;
  /** Called with the id of each request that is about to be sent, which is its progress token, too. */
  onId?: (id: number) => void;
  /**
   * Who answers what the server asks before it finishes, and what is declared with this request (modern). A legacy server
   * asks whom the connection was made with. @default the connection's
   */
  answers?: Answers;
  /**
   * Input rounds are the caller's (modern): this goes with the request, and a reply may ask for input (`isInput`).
   * @default they are gone through here
   */
  rounds?: InputRound;
}

/** What a request brings of an earlier round (protocol.md 1.9); empty the first time. */
export interface InputRound {
  inputResponses?: JsonObject;
  requestState?: string;
}

/** How one call is to run where its server knows tasks (protocol.md 1.16). */
export interface TaskWish {
  /** What the tool says of itself. */
  support: TaskSupport;
  /** How long the server should keep the task. @default a day */
  ttlMs?: number;
  /**
   * Nobody waits: the reply is the server's own that made the task, or the result where it was done at once. A tool that
   * cannot run as a task is `usage`, before anything is sent. @default false
   */
  detach?: boolean;
  /** A task is waited for as long as it takes, and only the signal ends that. @default false */
  unbounded?: boolean;
  /** Called as soon as there is a task; with the session that it was made in, where nobody waits for it. */
  onTask?: (task: Task, session: Session | undefined) => void;
}

/** Options of a call. */
export interface CallOptions extends RequestOptions {
  /** @default nothing is asked for; a modern server may make a task of the call all the same, which is then waited for */
  task?: TaskWish | undefined;
}

export interface FinishOptions extends RequestOptions {
  /** Whoever gives up leaves the task alone; otherwise it is cancelled. @default false */
  leave?: boolean;
}

/** The tasks of one server, by their ids. Every method throws as `request`. */
export interface ClientTasks {
  get(taskId: string, options?: RequestOptions): Promise<Task>;
  /** Waits until it is done and returns its result, as `callTool` does. */
  finish(task: Task, options?: FinishOptions): Promise<CallReply>;
  /** Asks the server to cancel it; whether it does shows in its status. */
  cancel(taskId: string, options?: RequestOptions): Promise<void>;
  /** All that the server keeps for us; undefined where it cannot tell. */
  list(options?: RequestOptions): Promise<Task[] | undefined>;
}

/** An answered request: the parsed result, and the exact text of `result` (cut out when asked for). */
export interface Reply {
  result: JsonObject;
  raw(): string;
  /** The server asked for input first: such an answer must not be kept (protocol.md 1.9). */
  asked?: true;
  /** It is no answer: the server asks for input, and the caller goes through the rounds. */
  isInput?: true;
}

/** A tool's answer. */
export interface CallReply extends Reply {
  result: ToolResult;
}

/** Who made a call, and hears at once how it goes: it is sent, and then answered or failed, each once. */
export interface Caller {
  /** It was handed to the transport whole. */
  sent(): void;
  answered(reply: CallReply): void;
  failed(error: unknown): void;
}

export interface ToolList {
  tools: Tool[];
  /** What was wrong with the list or with single tools, in words for a person; nothing was dropped silently. */
  warnings: string[];
  /** What of the list must not be used here, and why. */
  unusable?: { tool: string; why: string }[];
  /** Why it is not all of the list: its later pages failed with that. */
  failure?: Error;
  /**
   * Until when the server lets it be kept, on the clock of `performance.now`: the earliest of its pages. Absent: until it
   * tells of a change (legacy).
   */
  freshUntil?: number;
}

/** One live connection to one server, after negotiation. Disposing closes it and stops a process behind it. */
export interface McpClient extends AsyncDisposable {
  readonly era: Era;
  readonly revision: string;
  readonly serverInfo: Implementation | undefined;
  readonly capabilities: Capabilities;
  readonly instructions: string | undefined;
  /** What to remember for the next time; differs from `options.verdict` when something was learned. */
  readonly verdict: Verdict;
  /** It was taken for what it was an earlier time, and not asked: whether it is there at all its first answer shows. */
  readonly isRemembered?: true;
  /** Resolves when the link is lost or closed. */
  readonly closed: Promise<CloseInfo>;
  /** As of its transport. */
  keepSession?: () => Session | undefined;
  /**
   * One request of any method, dressed for the era, with its input rounds where the era has them (protocol.md 1.9).
   * Resources, prompts and the like are built on it, each in a file of its own.
   * @throws RpcError, HostError as `callTool`, but `server_exit` with `facts.sent` instead of `uncertain`
   */
  request(method: string, params: JsonObject, options?: RequestOptions): Promise<Reply>;
  /** Tells the server something. @throws HostError `server_exit` */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Hears what the server sends of its own accord, but progress, cancellations and logs, in order, until disposed. */
  onNotification(listener: (method: string, params: JsonObject) => void): Disposable;
  /** Handles a notification as if the server had sent it: for what it may have sent while it could not be heard. */
  presume(method: string, params: JsonObject): void;
  /** All pages. @throws HostError `rpc_error` `timeout` `server_exit` */
  listTools(options?: RequestOptions): Promise<ToolList>;
  /**
   * One tool call, input rounds included. `arguments` is always sent as an object.
   * @throws RpcError the server's JSON-RPC error
   * @throws HostError `timeout` (cancelled and given up), `cancelled` (by `signal`), `uncertain` (link lost after it was
   *   sent), `server_exit` (link lost before), `rpc_error` (a result that is none, an input request nobody can answer)
   */
  callTool(name: string, args: JsonObject, options?: CallOptions): Promise<CallReply>;
  /** The same for a caller that is told itself what becomes of the call, in place of `onSent` and a promise. */
  askTool(name: string, args: JsonObject, options: CallOptions, caller: Caller): void;
  /** What is known of tasks is loaded when first asked for. */
  tasks(): Promise<ClientTasks>;
  /** @throws as `listTools`; any answer, an error too, means alive */
  ping(options?: RequestOptions): Promise<void>;
  /** Closes it, as disposing does; what is under way is told at once `how` it ended, behind "server x". */
  drop(how: string): Promise<void>;
}
