/** What a server is asked with for a call that may be made, and what its answer makes of the call. It sends nothing. */
import type { CallReply } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { Session } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import type { HostCall } from "./host-call.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { outcomeOf } from "./outcome.ts";
import type { CallOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { HostTool } from "./types.ts";

/** The key of `_meta` by which a tool of a plugin finds the call that it runs for. It never leaves the process. */
export const callKey = "mcphost/call";

/** How the server of a call is asked. */
export function optionsOf(call: HostCall, { config, timeoutMs }: HostedServer): CallOptions {
  const { request } = call;
  const { onProgress, meta, logLevel, answers, rounds } = request;
  const options: CallOptions = { cancel: call, timeoutMs: request.timeoutMs ?? timeoutMs };
  if (onProgress !== undefined) options.onProgress = onProgress;
  if (meta !== undefined) options.meta = meta;
  if (logLevel !== undefined) options.logLevel = logLevel;
  if (answers !== undefined) options.answers = answers;
  if (rounds !== undefined) options.rounds = rounds;
  if (config.kind === "plugin") options.meta = { ...options.meta, [callKey]: call.id };
  return options;
}

/** It is to run as a task, or its tool can run in no other way. */
export function isTask(
  { detach = false, asTask = detach, onTask }: OwnedCallRequest,
  listed: HostTool | undefined,
): boolean {
  return asTask || onTask !== undefined || listed?.execution?.taskSupport === "required";
}

/** What became of a wish for a task. */
export interface Made {
  task?: { task: Task; session?: Session };
}

/** Asks for a task, and keeps the one that is made. */
export async function askForTask(
  options: CallOptions,
  { detach = false, asTask = detach, onTask }: OwnedCallRequest,
  listed: HostTool | undefined,
): Promise<Made> {
  const { wishOf } = await import("./tasks-wish.ts");
  const made: Made = {};
  const unbounded = asTask || onTask !== undefined;
  options.task = wishOf(listed, { detach, asTask, unbounded }, (task, session) => {
    made.task = { task, ...(session && { session }) };
    onTask?.(task);
  });
  return made;
}

/** What a call became that was answered. `made`: where a task was asked for. */
export function answered(reply: CallReply, call: HostCall, made: Made | undefined): Outcome {
  const { request, server, durationMs } = call;
  if (request.detach !== true || made?.task === undefined)
    return outcomeOf(reply, durationMs, request.exact);
  return { status: "detached", server, ...made.task, durationMs };
}
