/** Why nothing is known of a task, with what to do about it. It asks no server. */
import { HostError, isHostError } from "../base/errors.ts";
import type { HostTask } from "../host/lasting-types.ts";
import { invalidParams, methodNotFound } from "../protocol/jsonrpc.ts";
import type { Opened } from "./open.ts";

/** The server says that there is no such task. */
export function isUnknown(error: unknown): error is HostError {
  return isHostError(error) && error.facts.rpcCode === invalidParams;
}

/** A server that was started for this cannot know what the one before it began. */
export async function explained(
  error: unknown,
  { task, opened }: { task: HostTask; opened: Opened },
): Promise<unknown> {
  const { server, taskId } = task;
  if (isHostError(error) && error.facts.rpcCode === methodNotFound)
    return withForget(withoutTasks(error, server));
  if (!isUnknown(error)) return withForget(await opened.explain(error));
  const config = opened.config.servers.find(({ name }) => name === server);
  const hint =
    config?.kind === "stdio"
      ? "it was started anew: tasks of a server that is started by a command end with it, unless it keeps them itself"
      : "a server keeps its tasks for a time, and some keep them only for the session that began them";
  const facts = { ...error.facts, taskId };
  return new HostError(error.code, error.message, { facts, hint, cause: error });
}

// --- internal ---

function withoutTasks({ code, facts, message, cause }: HostError, server: string): HostError {
  const reason = cause instanceof Error ? cause.message : message;
  const text = `server "${server}" has no tasks (${methodNotFound}: ${reason})`;
  return new HostError(code, text, { facts, cause });
}

/** What a server says in words of its own may be that the task is gone. */
function withForget(error: unknown): unknown {
  if (!isHostError(error) || error.code !== "rpc_error" || error.hint !== undefined) return error;
  const { code, message, facts } = error;
  const hint = "if it is gone: mcphost task ID --forget takes it off the list";
  return new HostError(code, message, { facts, hint, cause: error });
}
