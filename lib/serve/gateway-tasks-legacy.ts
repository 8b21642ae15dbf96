/**
 * Tasks as clients of 2025-11-25 see them (protocol.md 1.16): they ask for one with a call, whatever its server makes of it;
 * `tasks/result` waits for the end, and carries what the server asks meanwhile.
 */
import { abortable } from "../base/async.ts";
import { clip } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import { internalError, methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import { taskSupportOf } from "../protocol/tasks.ts";
import { namesOf } from "./gateway-entries.ts";
import { badParams } from "./gateway-errors.ts";
import { ownText } from "./gateway-results.ts";
import type { Task } from "./gateway-task.ts";
import { fieldsOf, relatedText, Run } from "./gateway-tasks-run.ts";
import type { Tasks } from "./gateway-tasks.ts";
import type { Question } from "./gateway-types.ts";

/** What makes the calls of tasks. */
export interface TaskCalls {
  "tools/call"(question: Question): Promise<string> | undefined;
  /** Where a client's tools are. */
  host(question: Question): OpenedHost;
}

/** What clients of the era ask about tasks; `tools/call` may ask for one. */
export function legacyTaskMethods(
  tasks: Tasks,
  calls: TaskCalls,
): [string, (question: Question) => string | Promise<string> | undefined][] {
  /** Whose each is: a session sees its own in the list. */
  const runs = new WeakMap<Task, Run>();
  const found = ({ params, from }: Question) => tasks.find(from.scope.owner, params);
  const begin = async (question: Question, wish: JsonObject) => {
    await checkTool(question, calls.host(question));
    const run = new Run(question, wish);
    const task = tasks.add(run);
    if (task === undefined)
      throw new RpcError({ code: internalError, message: "too many tasks are running" });
    runs.set(task, run);
    void run.begin(task, question, calls["tools/call"]);
    return ownText({ task: fieldsOf(task) }, question.from.knows);
  };
  return [
    [
      "tools/call",
      (question) => {
        const { task } = question.params;
        if (!question.from.knows.tasks || !isObject(task)) return calls["tools/call"](question);
        return begin(question, task);
      },
    ],
    ["tasks/get", (question) => ownText(fieldsOf(found(question)), question.from.knows)],
    [
      "tasks/list",
      ({ from }) => {
        const own = tasks.list().filter((task) => runs.get(task)?.from === from);
        return ownText({ tasks: own.map(fieldsOf) }, from.knows);
      },
    ],
    [
      "tasks/cancel",
      (question) => {
        const task = found(question);
        if (task.isOver) badParams(`the task is ${task.status} already`);
        task.cancel("the client cancelled the task");
        return ownText(fieldsOf(task), question.from.knows);
      },
    ],
    ["tasks/result", (question) => resultOf(question, found(question), runs)],
  ];
}

// --- internal ---

/** What the call itself would have been answered; waits for it. @throws RpcError */
async function resultOf(question: Question, task: Task, runs: WeakMap<Task, Run>): Promise<string> {
  if (!task.isOver) {
    using _waiting = runs.get(task)?.wait(question, task);
    await settled(task.ended, question.signal);
  }
  const { end } = task;
  if (end === undefined) badParams(`the task was ${task.status}`);
  if ("error" in end) throw end.error;
  return relatedText(end.text, undefined, task);
}

/** @throws RpcError -32601, -32602 */
async function checkTool({ params, from, signal }: Question, host: OpenedHost): Promise<void> {
  const { name } = params;
  const { server, allows } = from.scope;
  if (typeof name !== "string") badParams("tools/call needs the name of a tool");
  const named = server === undefined ? name : `${server}/${name}`;
  const tool = await host.resolve(named, { signal }).catch(() => undefined);
  if (tool === undefined || !allows(namesOf(tool.server, tool.tool, tool.name)))
    badParams(`no tool is called ${JSON.stringify(clip(name, 200))}`);
  if (taskSupportOf({ execution: tool.execution }) !== "forbidden") return;
  throw new RpcError({ code: methodNotFound, message: "this tool does not run as a task" });
}

/** Waits, but no longer than the client does. @throws RpcError */
async function settled(ended: Promise<void>, signal: AbortSignal): Promise<void> {
  try {
    await abortable(ended, signal);
  } catch {
    throw new RpcError({ code: internalError, message: "nobody waits for the task any more" });
  }
}
