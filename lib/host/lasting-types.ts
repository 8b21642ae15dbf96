/** What a host offers that goes on for longer than an answer: tasks and subscriptions. Types only. */
import type { Outcome } from "../hooks/call.ts";
import type { Progress, Session } from "../protocol/mcp.ts";
import type { Topics, Update } from "../protocol/subscriptions.ts";
import type { Task } from "../protocol/tasks.ts";

/** One task on one server, by its id. Nothing is asked until something is wanted of it. */
export interface HostTask {
  readonly server: string;
  readonly taskId: string;
  /** @throws HostError `rpc_error` (the server does not know it), `server_start` and the like */
  state(options?: { signal?: AbortSignal }): Promise<Task>;
  /** Waits until it is done, however long; what became of it, as of a call. Giving up leaves it alone. Never throws. */
  outcome(options?: {
    signal?: AbortSignal;
    onProgress?: (progress: Progress) => void;
    /** How long nothing may be heard of the server. @default the server's, else 60000 */
    timeoutMs?: number;
  }): Promise<Outcome>;
  /** Asks the server to cancel it. @throws as `state`; one that is done already is `rpc_error` on legacy servers */
  cancel(options?: { signal?: AbortSignal }): Promise<void>;
}

/** `stale`: the link was lost for a while, and anything may have changed meanwhile. */
export type ServerUpdate = { server: string } & (Update | { kind: "stale" });

export interface SubscribeRequest extends Topics {
  /** The server that is asked. @default the only one */
  server?: string;
  /** Ends it, and tells the server. */
  signal?: AbortSignal;
  onUpdate: (update: ServerUpdate) => void;
  /** Called each time that it is open; `missing`: what the server does not tell of, in words. */
  onOpen?: (missing: string[]) => void;
}

export interface Lasting {
  /**
   * A task that was made before, by this host or another. `session`: of its outcome; the server is asked in it from its next
   * link on, as long as it knows it. `tool`: whose call it was, for plugins.
   * @throws HostError `usage` (no such server)
   */
  task(
    server: string,
    taskId: string,
    options?: { session?: Session; tool?: string },
  ): Promise<HostTask>;
  /** All tasks that a server keeps for us; undefined: it cannot tell (only 2025-11-25 can). @throws as `HostTask.state` */
  tasksOf(server: string, options?: { signal?: AbortSignal }): Promise<Task[] | undefined>;
  /**
   * Hears of changes until the server ends it in order (`ended`), or the signal or the host does (`closed`). What breaks is
   * opened again.
   * @throws HostError `usage`, `rpc_error` (the server tells of nothing that was asked for, or refused), `server_start`, …
   */
  subscribe(request: SubscribeRequest): Promise<"ended" | "closed">;
}
