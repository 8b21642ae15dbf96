/** The second half of the call path: a call that may be made is sent to its server, and answered. Nothing is decided here. */
import { isDebug, since } from "../base/log.ts";
import type { CallReply } from "../client/types.ts";
import type { Outcome } from "../hooks/call.ts";
import type { Session } from "../protocol/mcp.ts";
import type { Task } from "../protocol/tasks.ts";
import type { CallContext } from "./call-types.ts";
import type { FoundCall } from "./found-call.ts";
import type { OwnedCallRequest } from "./opened-types.ts";
import { outcomeOf } from "./outcome.ts";
import type { Recorder } from "./record-types.ts";
import type { RunningCall } from "./running.ts";
import type { CallOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { HostTool } from "./types.ts";

/** The key of `_meta` by which a tool of a plugin finds the call that it runs for. It never leaves the process. */
export const callKey = "mcphost/call";

/** Sends the call; its answer. @throws HostError, RpcError */
export function execute(
  call: FoundCall,
  running: RunningCall,
  server: HostedServer,
  context: CallContext,
): Promise<CallReply> {
  return server.call(call.tool, call.arguments, optionsOf(call, running, server, context));
}

/** What a call became that was answered. */
export function answered(
  reply: CallReply,
  { server, tool }: FoundCall,
  { sentAt, durationMs }: RunningCall,
  { log }: CallContext,
): Outcome {
  if (isDebug(log)) {
    const text = `tools/call of ${tool} is answered after ${since(sentAt)}`;
    log({ level: "debug", server, text });
  }
  return outcomeOf(reply, durationMs);
}

/** It is to run as a task, or its tool can run in no other way. */
export function isTask(
  { detach = false, asTask = detach, onTask }: OwnedCallRequest,
  listed: HostTool | undefined,
): boolean {
  return asTask || onTask !== undefined || listed?.execution?.taskSupport === "required";
}

/** As `execute`, where it is to be a task, or may become one that is waited for as long as it takes. */
export async function executeTask(
  call: FoundCall,
  running: RunningCall,
  server: HostedServer,
  { listed, context }: { listed: HostTool | undefined; context: CallContext },
): Promise<Outcome> {
  const { wishOf } = await import("./tasks-wish.ts");
  const { detach = false, asTask = detach, onTask } = call.request;
  const options = optionsOf(call, running, server, context);
  let made: { task: Task; session?: Session } | undefined;
  const unbounded = asTask || onTask !== undefined;
  options.task = wishOf(listed, { detach, asTask, unbounded }, (task, session) => {
    made = { task, ...(session && { session }) };
    onTask?.(task);
  });
  const reply = await server.call(call.tool, call.arguments, options);
  const outcome = answered(reply, call, running, context);
  if (!detach || made === undefined) return outcome;
  return { status: "detached", server: server.name, ...made, durationMs: outcome.durationMs };
}

// --- internal ---

function optionsOf(
  call: FoundCall,
  running: RunningCall,
  server: HostedServer,
  context: CallContext,
): CallOptions {
  const { onProgress, meta, logLevel, answers, rounds, timeoutMs } = call.request;
  const options: CallOptions = {
    cancel: running,
    timeoutMs: timeoutMs ?? server.timeoutMs,
    onSent: () => sent(call, running, context),
  };
  if (onProgress !== undefined) options.onProgress = onProgress;
  if (meta !== undefined) options.meta = meta;
  if (logLevel !== undefined) options.logLevel = logLevel;
  if (answers !== undefined) options.answers = answers;
  if (rounds !== undefined) options.rounds = rounds;
  if (context.record !== undefined) withTrack(options, call, context.record);
  if (server.config.kind === "plugin") options.meta = { ...options.meta, [callKey]: call.id };
  return options;
}

function withTrack(options: CallOptions, call: FoundCall, record: Recorder): void {
  const track = record.of(call);
  if (track !== undefined) options.onSending = () => track.sending();
}

function sent(
  { request, server, tool }: FoundCall,
  running: RunningCall,
  { log }: CallContext,
): void {
  running.sentAt = performance.now();
  request.listener?.onSent?.();
  if (isDebug(log)) log({ level: "debug", server, text: `tools/call of ${tool} is sent` });
}
