/**
 * Calls that run as tasks, in both forms (protocol.md 1.16): asking for one, looking at one, cancelling one. Waiting for one
 * is in tasks-wait.ts. Loaded when a task is wanted or comes.
 */
import { HostError } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { createdTask, offersTasks, readTask } from "../protocol/tasks.ts";
import type { Task } from "../protocol/tasks.ts";
import { allPages } from "./pages.ts";
import type { TaskContext } from "./tasks-context.ts";
import { waitForTask } from "./tasks-wait.ts";
import type { CallOptions, CallReply, ClientTasks, RequestOptions, TaskWish } from "./types.ts";

/** The tasks of one client's server. */
export function tasksOf(context: TaskContext): ClientTasks {
  const { client, name } = context;
  return {
    async get(taskId, options) {
      const { result } = await client.request("tasks/get", { taskId }, options);
      return taskIn(result, { name, taskId });
    },
    finish: (task, options = {}) => waitForTask(task, context, options),
    async cancel(taskId, options) {
      await client.request("tasks/cancel", { taskId }, options);
    },
    list: (options) => listTasks(context, options),
  };
}

/**
 * One call as its wish wants it.
 * @throws HostError `usage`: it must be a task and cannot be one; nothing was sent
 */
export async function callAsTask(
  { call, send }: { call: JsonObject & { name: string }; send: Send },
  context: TaskContext,
  options: CallOptions & { task: TaskWish },
): Promise<CallReply> {
  let token: number | undefined;
  const params = askForTask(call, context, options.task);
  const reply = await send(params, { ...options, onId: (id) => (token = id) });
  return await followCall(reply, { ...context, token }, options);
}

/** Goes on from the answer to a call: at once with a result; with a task when that is done, or as the wish says. */
export async function followCall(
  reply: CallReply,
  context: TaskContext,
  options: CallOptions,
): Promise<CallReply> {
  const { client, name } = context;
  const task = createdTask(client.era, reply.result);
  if (task === undefined) {
    if (client.era === "modern" && reply.result.resultType === "task") throw noTaskIn({ name });
    return reply;
  }
  const { task: wish, onSent: _, onId: __, ...rest } = options;
  const isLeft = wish?.detach === true;
  wish?.onTask?.(task, isLeft ? client.keepSession?.() : undefined);
  if (isLeft) return reply;
  const { timeoutMaxMs } = rest;
  const capMs = wish?.unbounded === true ? Number.POSITIVE_INFINITY : timeoutMaxMs;
  return await waitForTask(task, context, {
    ...rest,
    ...(capMs !== undefined && { timeoutMaxMs: capMs }),
  });
}

// --- internal ---

type Send = (params: JsonObject, options: RequestOptions) => Promise<CallReply>;

/** The params that make a call a task where the wish needs it. A modern server decides by itself: nothing is added there. */
function askForTask(
  params: JsonObject & { name: string },
  { client, name }: TaskContext,
  { support, detach = false, ttlMs = dayMs }: TaskWish,
): JsonObject {
  const offered = offersTasks(client.era, client.capabilities);
  if (detach && !offered) throw noTask(`server "${name}" does not run calls as tasks`, { name });
  if (client.era === "modern" || !offered) return params;
  if (detach && support === "forbidden") {
    const text = `the tool ${params.name} of server "${name}" does not run as a task`;
    throw noTask(text, { name, tool: params.name });
  }
  return support === "forbidden" ? params : { ...params, task: { ttl: ttlMs } };
}

const dayMs = 24 * 3_600_000;

async function listTasks(
  { client, name, log, pagesMax = 1000 }: TaskContext,
  options?: RequestOptions,
): Promise<Task[] | undefined> {
  const { tasks } = client.capabilities;
  const canList = typeof tasks === "object" && tasks !== null && "list" in tasks;
  if (client.era === "modern" || !canList) return undefined;
  const { items, warning, failure } = await allPages<Task>({
    restart: () => {},
    pagesMax,
    itemsMax: tasksMax,
    fetch: async (params) => {
      const { result } = await client.request("tasks/list", params, options);
      const listed = Array.isArray(result.tasks) ? result.tasks : [];
      return { items: listed.flatMap((one) => readTask(one) ?? []), nextCursor: result.nextCursor };
    },
  });
  const why = warning ?? failure?.message;
  if (why !== undefined)
    log({ level: "warn", server: name, text: `not all of its tasks are known: ${why}` });
  return items;
}

const tasksMax = 10_000;

/** @throws HostError `rpc_error` */
function taskIn(result: JsonObject, at: { name: string; taskId: string }): Task {
  const task = readTask(result);
  if (task === undefined || task.taskId !== at.taskId) throw noTaskIn(at);
  return task;
}

function noTaskIn({ name, taskId }: { name: string; taskId?: string }): HostError {
  const text = `server "${name}" gave an answer about a task that is none`;
  return new HostError("rpc_error", text, {
    facts: { server: name, ...(taskId !== undefined && { taskId }) },
    hint: "that is a fault of the server",
  });
}

function noTask(text: string, { name, tool }: { name: string; tool?: string }): HostError {
  return new HostError("usage", text, {
    facts: { server: name, ...(tool !== undefined && { tool }), sent: false, option: "detach" },
    hint: "call it and wait for its result",
  });
}
