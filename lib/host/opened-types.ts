/** The host as our own faces see it: what they may do beside the public face. Types only. */
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Answers } from "../client/answer-types.ts";
import type { CompletionRequest } from "../client/completion.ts";
import type { InputRound } from "../client/types.ts";
import type { PolicyRule } from "../config/types.ts";
import type { Actor, Call, Outcome } from "../hooks/call.ts";
import type { McpLogLevel } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import type { ServerKey } from "../store/types.ts";
import type { OwnServers } from "./guest-types.ts";
import type { CallRequest, EventOf, EventType, Host, HostTool, ToolListing } from "./types.ts";

/** A call of a face that serves several people, as `OpenedHost.call` takes it. */
export interface OwnedCallRequest extends CallRequest {
  /** Whose call it is. @default "default" */
  owner?: string;
  /** Its id, unique among all calls. @default a new one */
  id?: string;
  /** Whether a tool is there for who asks, by all of its names. One that is not is as unknown as any. @default it is */
  admits?: (names: readonly string[]) => boolean;
  /**
   * A bare name means what is listed by now: no server is started or waited for that the name does not name.
   * @default false
   */
  listedOnly?: boolean;
  /** It waits in the store already, and is made by way of that alone, so once, whatever rules and grants say by now. @default false */
  resumes?: boolean;
  /** What else the tool is known by here: rules may name it so. */
  shownAs?: string;
  /** More for `_meta` of the request, such as a trace. */
  meta?: JsonObject;
  /** What the call may log, where its server is told with each. @default what the host asks for */
  logLevel?: McpLogLevel;
  /** As of a client's request. @default the host's */
  answers?: Answers;
  /** As of a client's request: a modern server's questions end the call as `input_required`. @default they are answered here */
  rounds?: InputRound;
  /** Told that the server has made a task of the call; from then on it is waited for as long as it takes. */
  onTask?: (task: Task) => void;
  /** A tool that may run as a task is to, where its server takes that. @default only one that must does */
  asTask?: boolean;
  /** The exact text of its result is surely wanted, and not made when it is asked for. @default false */
  exact?: boolean;
  /** Hears how the call goes. */
  listener?: CallListener;
}

/** Whoever hears how a call goes; what it does takes no time and never throws. */
export interface CallListener {
  /** The call begins to wait for somebody to approve it. */
  onWaiting?(call: Call): void;
  /** Once: the name means a tool and no rule denies the call; nothing was sent by then. */
  onCall?(call: Call): void;
  /** Its server has been handed the call. */
  onSent?(): void;
  /** Once, and last: what became of it, right before whoever waits for its outcome is told. */
  onEnd?(outcome: Outcome): void;
}

/** What the rules say of a tool. */
export interface Judgement {
  do: PolicyRule["do"];
  /** The rule that says so, in its writer's words; absent where none does. */
  rule?: string;
  /** What other rules would say, depending on the arguments. */
  dependsOnArguments?: string[];
  /** Plugins that have a word in it before each call; absent where none has. */
  plugins?: string[];
}

/** Hears each log notification of a server as it came. */
export type LogListener = (server: string, params: JsonObject) => void;

/** A prompt or a template, where it is. */
export interface Owned {
  server: string;
  /** The server's own name of it. */
  own: string;
  /** What it is called here. */
  name: string;
}

/** What `openHost` returns: a host that can also leave at once. */
export interface OpenedHost extends Host {
  call(request: OwnedCallRequest): Promise<Outcome>;
  /** The same without a promise: what becomes of the call is told to its `listener` alone. */
  ask(request: OwnedCallRequest): void;
  /** As `warm`, and lists its tools, for whoever asks for them next. */
  begin(server: string): void;
  /** Gives up a call that was begun with this `id`. False where no such call runs. */
  cancel(id: string, reason: HostError): boolean;
  /** The tools by the lists that were fetched last: starts nothing, fetches nothing, waits for nobody. */
  knownTools(): Promise<ToolListing>;
  /** What the rules say of a call of each tool, before its arguments are known. */
  judge(tools: readonly HostTool[], actor: Actor): Promise<Judgement[]>;
  /** The server that a URI (or `SERVER/URI`) means, and its own URI. @throws as `read` */
  locate(uri: string, signal?: AbortSignal): Promise<{ server: string; uri: string }>;
  /** The server that a prompt or a template is of. @throws as `complete` */
  ownerOf(ref: CompletionRequest["ref"], signal?: AbortSignal): Promise<Owned>;
  /** Hears each log notification of a server as it came, until disposed. */
  onLog(listener: LogListener): Disposable;
  /** Its servers as approvals and grants know them. */
  serverKeys(): Promise<ServerKey[]>;
  /** What servers are asked to log from now on; those that are connected are told. */
  askLogs(level: McpLogLevel): void;
  /**
   * As `events`, told as they happen: none is lost. The watcher takes no time and never throws.
   * @param types those that it is told of, all by default
   */
  onEvent<T extends EventType>(
    watcher: (event: EventOf<T>) => void,
    types?: readonly T[],
  ): Disposable;
  /**
   * Stops a server that was started and does nothing; what is known of its tools stays, and its next use starts it again.
   * False where it is busy, was used within `idleMs`, is held by something that lasts, or is no process of ours.
   */
  rest(server: string, idleMs?: number): Promise<boolean>;
  /**
   * A host over the same servers for one client of a face: servers that ask back are answered by it, and a legacy one has a
   * process, or a session, for it alone. Whoever opens it closes it. Without `answers` the client answers nothing, and only
   * what must not be shared (`share` is `client`) is its own.
   */
  guest(answers?: Answers): Promise<OpenedHost & OwnServers>;
  /** A server, any by default, is shared with nobody (`share` is `client`): each client needs a guest. */
  keepsApart(server?: string): boolean;
  /**
   * Others use its servers from now on: where the config says nothing, no more than 256 calls wait for their turn at one,
   * and none longer than 30000 ms. What is odd in the lists of servers is logged, once for each list. For faces.
   * @param isShared they have several owners: the calls of one never take all places in the line. @default they have one
   */
  lend(isShared?: () => boolean): void;
  /** The server, once the host was lent, whose link to us a request is on: it is the host itself. */
  ownLink(request: Pick<Request, "headers">): string | undefined;
  /** Keeps the lists of modern servers fresh by a stream each, from now on; for hosts that live long. */
  keepFresh(): void;
  /** Lets go of all servers without waiting: closes their stdin and leaves the rest to the reaper (waits where there is none). */
  leave(): Promise<void>;
}
