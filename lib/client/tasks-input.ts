/** Answers what a modern task asks, each question once (protocol.md 1.16). It does not wait for what the task makes of it. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import type { Task } from "../protocol/tasks.ts";
import type { ConnectOptions } from "./connect-types.ts";
import { keepInputDigits } from "./digits.ts";
import { answerAll } from "./rounds.ts";
import { taskFault } from "./tasks-errors.ts";
import type { McpClient } from "./types.ts";

export interface TaskInput extends Pick<ConnectOptions, "name" | "answers" | "log"> {
  client: Pick<McpClient, "request">;
  signal: AbortSignal;
  /** Of the answer that says what is asked. */
  text: string;
}

/**
 * @param answered keys of questions that were answered: a server may show them a while longer; those of now are added
 * @throws HostError `rpc_error` (nobody to answer, no question); what an answerer or the request throws
 */
export async function answerTask(
  { taskId, raw }: Task,
  answered: Set<string>,
  input: TaskInput,
): Promise<void> {
  const { client, name, signal, text } = input;
  keepInputDigits(raw, text);
  const asked = isObject(raw.inputRequests) ? raw.inputRequests : {};
  const open: [string, { method: string; params: JsonObject }][] = [];
  for (const [key, request] of Object.entries(asked)) {
    if (answered.has(key)) continue;
    if (!isObject(request) || typeof request.method !== "string")
      throw taskFault({ server: name, taskId }, "asks for input without saying what");
    const params = isObject(request.params) ? request.params : {};
    open.push([key, { method: request.method, params }]);
  }
  // fromEntries defines each key: one called __proto__ is a key like any other.
  const inputResponses = await answerAll(Object.fromEntries(open), input);
  if (inputResponses === undefined) return;
  await client.request("tasks/update", { taskId, inputResponses }, { signal });
  for (const [key] of open) answered.add(key);
}
