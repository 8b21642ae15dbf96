/** A tool call on its way through the host, and its outcome: both plain values (design.md, one call path). */
import type { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import type { Progress, Session, ToolAnnotations, ToolResult } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";

/** Who asked. */
export type Actor = "user" | "script" | "model" | "gateway";

export interface Call {
  id: string;
  /** Whose call it is: `default` where there is one person. */
  owner: string;
  server: string;
  /** The server's own name of the tool. */
  tool: string;
  arguments: JsonObject;
  actor: Actor;
  annotations: ToolAnnotations;
  readonly signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  /** Where it is written down, if it is. */
  track?: CallTrack;
}

/** What is written down of one call, in the order of the methods. */
export interface CallTrack {
  /** It waits for somebody: resolves when that is written down, or cannot be. Never rejects. */
  waits(question: string): Promise<void>;
  /** It may be made: by nobody's objection (`allowed`), or by somebody's word (`approved`). The first word counts. */
  decided(outcome: "allowed" | "approved", by?: string): void;
  /** It was approved, and is this process's to make: only if that can be written down. `onEnd` writes what came of it. */
  claimed(onEnd: (outcome: Outcome) => Promise<void>): void;
  /**
   * Right before it is sent: resolves when that is written down, so that whatever happens to us, it is known that it may
   * have happened. @throws HostError: it must not be sent
   */
  sending(): Promise<void>;
  /** Resolves when its outcome is written down, or cannot be. Never rejects. */
  ended(outcome: Outcome): Promise<void>;
}

/**
 * What became of a call. `error` is there on everything but `completed` and a `failed` with a `result` (`isError`).
 * `uncertain`: the link was lost after the call was sent; it may have happened, and is never repeated by itself.
 * `detached`: it goes on as a task on the server, and nobody here waits for it; `session`: some servers know it in the session
 * alone that it was made in, and so that is left open: whoever has its id can use it.
 * `input_required`: it is not done: the server asks for input, and who asked for the call goes through the rounds
 * (protocol.md 1.9); `result` is the server's own.
 * `raw` is the exact text of the result as it came. `outputMismatch`: where its structured content is not what the tool's
 * `outputSchema` promised; absent where it fits, or could not be checked.
 */
export type Outcome = { durationMs: number } & (
  | {
      status: "completed";
      result: ToolResult;
      raw: string;
      error?: undefined;
      outputMismatch?: OutputProblem[];
    }
  | { status: "failed"; result: ToolResult; raw: string; error?: undefined }
  | { status: "failed"; result?: undefined; error: HostError; sent: boolean }
  | { status: "denied"; result?: undefined; error: HostError }
  | { status: "cancelled"; result?: undefined; error: HostError; sent: boolean }
  | { status: "uncertain"; result?: undefined; error: HostError }
  | { status: "input_required"; result: JsonObject; raw: string; error?: undefined }
  | {
      status: "detached";
      result?: undefined;
      error?: undefined;
      server: string;
      task: Task;
      session?: Session;
    }
);

/** One place where a result breaks the promise of its tool. */
export interface OutputProblem {
  /** JSON Pointer into the structured content; empty: the whole. */
  path: string;
  message: string;
}
