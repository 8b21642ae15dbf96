/**
 * Tasks as data, in both forms: the experimental one of 2025-11-25 and the extension of the modern era (protocol.md 1.16).
 * Servers of either form write either form's names, so both are read; nothing here waits or sends. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { internalError } from "./jsonrpc.ts";
import type { ErrorObject } from "./jsonrpc.ts";
import type { Capabilities, Era } from "./mcp.ts";

/** The extension's name in `capabilities.extensions`, on both sides. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** What a server says of a task. `raw` is the object as it came. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  statusMessage?: string;
  /** How long the server keeps it, from its creation; null or absent: it does not say. */
  ttlMs?: number | null;
  /** How often the server wants to be asked. */
  pollIntervalMs?: number;
  raw: JsonObject;
}

/** Whether a tool runs as a task (2025-11-25, `execution.taskSupport`). */
export type TaskSupport = "forbidden" | "optional" | "required";

/** `forbidden` where the tool does not say. */
export function taskSupportOf(tool: JsonObject): TaskSupport {
  const { execution } = tool;
  const said = isObject(execution) ? execution.taskSupport : undefined;
  return said === "optional" || said === "required" ? said : "forbidden";
}

/** Whether the server says that it can run calls of tools as tasks. */
export function offersTasks(era: Era, capabilities: Capabilities): boolean {
  if (era === "modern") return objectAt(capabilities, "extensions", tasksExtension) !== undefined;
  return objectAt(capabilities, "tasks", "requests", "tools", "call") !== undefined;
}

/** The task that an answer to `tools/call` made: nested in legacy answers, flat with `resultType: "task"` in modern ones. */
export function createdTask(era: Era, result: JsonObject): Task | undefined {
  if (era === "modern") return result.resultType === "task" ? readTask(result) : undefined;
  return isObject(result.task) ? readTask(result.task) : undefined;
}

/** Undefined if it is none: no id, or no status. One with a status that no revision knows may end yet: it is working. */
export function readTask(value: Json | undefined): Task | undefined {
  if (!isObject(value)) return undefined;
  const { taskId, status, statusMessage } = value;
  if (typeof taskId !== "string" || taskId === "" || typeof status !== "string") return undefined;
  const ttl = value.ttlMs === undefined ? value.ttl : value.ttlMs;
  const poll = value.pollIntervalMs ?? value.pollInterval;
  return {
    taskId,
    status: isStatus(status) ? status : "working",
    ...(typeof statusMessage === "string" && { statusMessage }),
    ...((ttl === null || isLength(ttl)) && { ttlMs: ttl }),
    ...(isLength(poll) && { pollIntervalMs: poll }),
    raw: value,
  };
}

/** Nothing changes any more. */
export function isTerminal({ status }: Pick<Task, "status">): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** The JSON-RPC error of a failed modern task; what is missing in it is filled in. */
export function taskError({ raw, statusMessage }: Task): ErrorObject {
  const error = isObject(raw.error) ? raw.error : {};
  return {
    code: typeof error.code === "number" ? error.code : internalError,
    message:
      typeof error.message === "string" ? error.message : (statusMessage ?? "the task failed"),
    ...(error.data !== undefined && { data: error.data }),
  };
}

/**
 * How long to wait before the next question about a task, in milliseconds: what the server asked for, between 20 ms and a
 * minute; where it asked for nothing, 100 ms, doubled each time up to a second. Never so long that the task's ttl
 * could run out unseen.
 * @param asked how often it was asked before
 * @param ageMs since the task was made
 */
export function pollDelayMs({ pollIntervalMs, ttlMs }: Task, asked: number, ageMs: number): number {
  const wanted = pollIntervalMs ?? Math.min(1000, 100 * 2 ** Math.min(asked, 10));
  const left = typeof ttlMs === "number" && ttlMs > ageMs ? (ttlMs - ageMs) / 2 : Infinity;
  return Math.min(Math.max(Math.min(wanted, left), pollMsMin), pollMsMax);
}

// --- internal ---

const pollMsMin = 20;
const pollMsMax = 60_000;

const statuses: ReadonlySet<unknown> = new Set([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
]);

function isStatus(value: unknown): value is TaskStatus {
  return statuses.has(value);
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function objectAt(value: JsonObject, ...path: string[]): JsonObject | undefined {
  let at: Json | undefined = value;
  for (const key of path) at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  return isObject(at) ? at : undefined;
}
