/** Why there is no result of a task, or not yet, each with its evidence. Pure: it judges and makes values, and throws nothing. */
import { shorten } from "../base/clip.ts";
import { HostError, isHostError } from "../base/errors.ts";
import { internalError, invalidParams, RpcError } from "../protocol/jsonrpc.ts";
import type { Task } from "../protocol/tasks.ts";

/** Which task, on which server. */
export interface TaskPlace {
  server: string;
  taskId: string;
}

/** Its hard cap ran out, and it was cancelled, or (`left`) goes on. */
export function lateError(at: TaskPlace, timeoutMs: number, left = false): HostError {
  const text = `task ${at.taskId} on server "${at.server}" was not done within ${timeoutMs} ms`;
  return new HostError("timeout", text, {
    facts: { ...at, sent: true, timeoutMs, ...(!left && { option: "timeoutMs" }) },
    hint: left
      ? "it goes on, and can be asked for again"
      : "it was cancelled; a longer timeoutMs waits longer, ten times that in all",
  });
}

/** The caller's signal fired, and it was cancelled, or (`left`) goes on. */
export function cancelledTaskError(at: TaskPlace, reason: unknown, left: boolean): HostError {
  const what = left ? "is not waited for any more: it goes on" : "was cancelled";
  return new HostError("cancelled", `task ${at.taskId} on server "${at.server}" ${what}`, {
    facts: { ...at, sent: true },
    cause: reason,
  });
}

/**
 * There is no answer about it any more, for whatever reason. The call was made, whatever becomes of the link: nothing in
 * this may look like one that was never sent.
 */
export function lostTaskError(at: TaskPlace, error: HostError): HostError {
  const { sessionLost: _, ...facts } = error.facts;
  const isLost = error.code === "server_exit";
  const how = isLost ? `the link to server "${at.server}" was lost` : error.message;
  const text = `${how}, while task ${at.taskId} was running: it may go on there`;
  return new HostError("uncertain", text, {
    facts: { ...facts, ...at, sent: true },
    hint: "ask for the task by its id before you call the tool again",
    cause: error,
  });
}

/** What there is to say of a status that no revision knows, which `readTask` took for `working`. */
export function strangeStatus(at: TaskPlace, { status, raw }: Task): string | undefined {
  if (raw.status === status) return undefined;
  const said = JSON.stringify(shorten(String(raw.status), 100));
  return `task ${at.taskId} has the status ${said}, which no revision knows: it counts as working`;
}

/** A server that does not know the task has most likely kept it long enough; any other error stays as it is. */
export function forgottenError(at: TaskPlace, error: unknown): unknown {
  if (!(error instanceof RpcError) || error.code !== invalidParams) return error;
  return taskFault(at, `is not known to the server (any more): ${error.message}`, error);
}

/** @param what follows the task's name in a sentence */
export function taskFault(at: TaskPlace, what: string, cause?: unknown): HostError {
  return new HostError("rpc_error", `task ${at.taskId} of server "${at.server}" ${what}`, {
    facts: { ...at },
    ...(cause !== undefined && { cause }),
  });
}

/** Not the server's word on the task: the link was lost, or something came back that answers by its status at most. */
export function isUnanswered(error: unknown): error is HostError {
  if (!isHostError(error)) return false;
  return error.code === "server_exit" || typeof error.facts.httpStatus === "number";
}

/** Something broke inside the server while it looked. */
export function isFault(error: unknown): boolean {
  return error instanceof RpcError && error.code === internalError;
}
