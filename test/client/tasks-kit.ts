/** What the tests of tasks share: a client that answers requests about one task by a list of states, and such states. */
import { expect } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import type { ErrorCode } from "../../lib/base/errors.ts";
import type { JsonObject } from "../../lib/base/json.ts";
import { silent } from "../../lib/base/log.ts";
import type { TaskContext } from "../../lib/client/tasks-context.ts";
import type { TaskWish } from "../../lib/client/types.ts";
import { readTask } from "../../lib/protocol/tasks.ts";
import type { Task } from "../../lib/protocol/tasks.ts";
import { simulatedClock } from "./clock.ts";

/** The wish of a tool that can only run as a task. */
export const required: TaskWish = { support: "required" };

/** A client that answers requests about one task by a list of states; what is thrown in it is thrown. */
export function scriptedTask(era: "legacy" | "modern", states: (JsonObject | Error)[]) {
  const asked: [string, JsonObject][] = [];
  const listeners = new Set<(method: string, params: JsonObject) => void>();
  const closed = Promise.withResolvers<{ kind: "local" }>();
  const clock = simulatedClock();
  const client: TaskContext["client"] = {
    era,
    capabilities: {},
    closed: closed.promise,
    onNotification(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async request(method, params) {
      asked.push([method, params]);
      if (method !== "tasks/get") return { result: { content: [] }, raw: () => "{}" };
      const state = states.length > 1 ? states.shift() : states[0];
      if (state instanceof Error) throw state;
      const result = { taskId: "t", ...state };
      return { result, raw: () => JSON.stringify(result) };
    },
  };
  const context: TaskContext = { client, name: "far", answers: {}, log: silent, clock };
  return {
    asked,
    clock,
    context,
    close: () => closed.resolve({ kind: "local" }),
    tell: (method: string, params: JsonObject) => {
      for (const listener of listeners) listener(method, params);
    },
  };
}

/** A task that works. */
export const working = (more: JsonObject = {}): Task =>
  readTask({ taskId: "t", status: "working", ...more }) as Task;

/** The state of a task that is done. */
export const done = { status: "completed", result: { content: [] } };

/** What a promise was rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<HostError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  return error as HostError;
}

/** What a request fails with where the server refuses it. */
export const refused = (httpStatus: number, code: ErrorCode = "rpc_error") =>
  new HostError(code, `server "far" answered HTTP ${httpStatus}`, { facts: { httpStatus } });
