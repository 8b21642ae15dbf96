/** The public face of the host: what scripts, the command line, and later HTTP see. */
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Actor, Outcome } from "../hooks/call.ts";
import type { Era, Implementation, Progress, ToolAnnotations } from "../protocol/mcp.ts";
import type { Features } from "./feature-types.ts";
import type { Lasting } from "./lasting-types.ts";

/** A tool as the host offers it. */
export interface HostTool {
  /** The exposed name, unique in this host. */
  name: string;
  server: string;
  /** The server's own name. */
  tool: string;
  title?: string;
  description?: string;
  inputSchema: JsonObject;
  outputSchema?: JsonObject;
  annotations?: ToolAnnotations;
  /** How it runs, as the server says (`taskSupport`). */
  execution?: JsonObject;
  /** What else the server lists of it: `icons`, `_meta`, fields that nobody here knows. Absent where there is nothing. */
  more?: JsonObject;
}

export interface ServerStatus {
  name: string;
  state: "idle" | "starting" | "ready" | "stopped" | "failed";
  era?: Era;
  revision?: string;
  serverInfo?: Implementation;
  instructions?: string;
  tools?: number;
  /** Calls that wait for their turn; absent where none does. */
  queued?: number;
  error?: HostError;
}

/**
 * Each call is told by a start and an end, unless no server is known to have its tool. `tool` is the server's own name; as it
 * was asked for, where the server could not be reached.
 */
export type HostEvent =
  | { type: "server_state"; server: string; state: ServerStatus["state"]; error?: HostError }
  | { type: "tools_changed"; server: string }
  | { type: "list_changed"; server: string; list: "prompts" | "resources" }
  | { type: "call_start"; id: string; owner: string; server: string; tool: string }
  | {
      type: "call_end";
      id: string;
      owner: string;
      server: string;
      tool: string;
      status: Outcome["status"];
      durationMs: number;
      /** It was given up before it was answered: its server may still be at work on it. */
      mayRun?: true;
    };

export type EventType = HostEvent["type"];

export type EventOf<T extends EventType> = Extract<HostEvent, { type: T }>;

export interface CallRequest {
  /** Exposed name, `SERVER.TOOL`, `SERVER/TOOL`, or the bare name where only one server has it. */
  tool: string;
  arguments?: JsonObject;
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** @default "user": whoever wrote the program named the tool */
  actor?: Actor;
  /**
   * Idle time, renewed by progress; a list that must be made first gets as much, a start has its own
   * (`startTimeoutMs`). @default the server's, else 60000
   */
  timeoutMs?: number;
  /** Check arguments against the tool's schema before sending. @default true */
  validate?: boolean;
  /**
   * Nobody waits: the outcome is `detached` as soon as the server has made a task of the call. A tool that cannot run as a
   * task is `usage`, before anything is sent. @default false
   */
  detach?: boolean;
}

export interface ToolListing {
  tools: HostTool[];
  /** Servers that could not be listed, or not to the end of their list, each with its reason. */
  failed: { server: string; error: HostError }[];
  /** What was odd in a list or renamed, in words for a person. */
  warnings: { server: string; text: string }[];
}

export interface ResolveOptions {
  signal?: AbortSignal;
  /** Something did not fit the tool as it is listed: a list that was not fetched within the last minute is fetched anew. */
  anew?: boolean;
  /** As of a call. @default false */
  listedOnly?: boolean;
}

export interface Host extends Features, Lasting, AsyncDisposable {
  /** Lists all servers in parallel (starting them where needed). Never throws for a server: see `failed`. */
  tools(options?: { servers?: string[]; signal?: AbortSignal }): Promise<ToolListing>;
  /** The one call path: resolve → prepare → execute → finalise. Never throws: the outcome says what happened. */
  call(request: CallRequest): Promise<Outcome>;
  /**
   * The one tool that a name means; starts only the servers that the name can mean.
   * @throws HostError `usage` (unknown, with the nearest; ambiguous, with the candidates), `server_start`, …
   */
  resolve(name: string, options?: ResolveOptions): Promise<HostTool>;
  /** Begins to start a server without waiting for it; errors show up when it is used. */
  warm(server: string): void;
  servers(): ServerStatus[];
  events(): AsyncIterable<HostEvent>;
}
