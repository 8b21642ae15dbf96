/**
 * Tasks as clients of the modern era see them, by the extension `io.modelcontextprotocol/tasks` (protocol.md 1.16): a call
 * whose server makes a task of it is answered by a handle; what it asks and what becomes of it come with `tasks/get`.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { RpcError } from "../protocol/jsonrpc.ts";
import { missingCapability } from "../protocol/meta.ts";
import { tasksExtension } from "../protocol/tasks.ts";
import type { Task as ServerTask } from "../protocol/tasks.ts";
import { responsesIn } from "./gateway-input.ts";
import type { Parked } from "./gateway-parked.ts";
import { ourMeta, ownText } from "./gateway-results.ts";
import type { Task, TaskOptions } from "./gateway-task.ts";
import type { Tasks } from "./gateway-tasks.ts";
import type { Downstream, Question } from "./gateway-types.ts";

/** Whether a client takes tasks in place of results. */
export function takesTasks({ knows, capabilities }: Downstream): boolean {
  const { extensions } = capabilities ?? {};
  if (knows.era === "legacy" || !isObject(extensions)) return false;
  return Object.hasOwn(extensions, tasksExtension) && isObject(extensions[tasksExtension]);
}

/** A task for one that a server made: it is kept as long, and asked for as often. */
export function taskOf(
  { ttlMs, pollIntervalMs = 1000 }: ServerTask,
  parked: Parked,
  owner: string,
): TaskOptions {
  return {
    owner,
    ttlMs: Math.min(Math.max(ttlMs ?? ttlDefaultMs, ttlMinMs), ttlMaxMs),
    pollMs: Math.min(Math.max(pollIntervalMs, pollMinMs), pollMaxMs),
    asked: () => parked.questions.asked,
    answer: (responses) => parked.questions.answer(responses),
    giveUp: (reason) => parked.giveUp(reason),
  };
}

/** What clients of the era ask about tasks. */
export function modernTaskMethods(tasks: Tasks): [string, (question: Question) => string][] {
  return [
    ["tasks/get", (question) => getTask(question, tasks)],
    ["tasks/update", (question) => updateTask(question, tasks)],
    ["tasks/cancel", (question) => cancelTask(question, tasks)],
  ];
}

/** `notifications/tasks`: how it is, but for its result. */
export function noticeOf(task: Task): JsonObject {
  const { end, options, status } = task;
  return {
    ...fieldsOf(task),
    ...(status === "input_required" && { inputRequests: options.asked?.() ?? {} }),
    ...(end !== undefined && "error" in end && { error: errorOf(end.error) }),
  };
}

/** The answer to a call that goes on as a task. */
export function handleText(task: Task): string {
  return JSON.stringify({ resultType: "task", ...fieldsOf(task), ...ourMeta });
}

// --- internal ---

const ttlDefaultMs = 3_600_000;
const ttlMinMs = 60_000;
const ttlMaxMs = 86_400_000;
const pollMinMs = 20;
const pollMaxMs = 60_000;

/** `tasks/get`. @throws RpcError -32602 · -32021 */
function getTask({ params, from }: Question, tasks: Tasks): string {
  const task = taskFor(params, from, tasks);
  const { end } = task;
  const head = JSON.stringify({ resultType: "complete", ...noticeOf(task), ...ourMeta });
  if (end === undefined || "error" in end) return head;
  return `${head.slice(0, -1)},"result":${end.text}}`;
}

/** `tasks/update`: answers to what a task asks; of others nothing is said. @throws as `getTask` */
function updateTask({ params, from }: Question, tasks: Tasks): string {
  taskFor(params, from, tasks).options.answer?.(responsesIn(params) ?? {});
  return ownText({}, from.knows);
}

/** `tasks/cancel`. @throws as `getTask` */
function cancelTask({ params, from }: Question, tasks: Tasks): string {
  taskFor(params, from, tasks).cancel("the client cancelled the task");
  return ownText({}, from.knows);
}

function taskFor(params: JsonObject, from: Downstream, tasks: Tasks): Task {
  if (!takesTasks(from))
    throw new RpcError({
      code: missingCapability,
      message: `tasks are for clients that declare the extension ${tasksExtension}`,
      data: { requiredCapabilities: { extensions: { [tasksExtension]: {} } } },
    });
  return tasks.find(from.scope.owner, params);
}

function fieldsOf(task: Task): JsonObject {
  const { id, status, createdAt, changedAt, options } = task;
  return {
    taskId: id,
    status,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(changedAt).toISOString(),
    ttlMs: options.ttlMs,
    pollIntervalMs: options.pollMs,
  };
}

function errorOf({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) };
}
