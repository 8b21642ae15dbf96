/** Calls that run as tasks: they are given up, end with the hard cap, or turn out to be none. */
import { expect, test } from "bun:test";

import type { JsonObject } from "../../lib/base/json.ts";
import { connect } from "../../lib/client/client.ts";
import { waitForTask } from "../../lib/client/tasks-wait.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { modernScript, scripted, until } from "./kit.ts";
import { eras, served } from "./served.ts";
import { done, failureOf, refused, required, scriptedTask, working } from "./tasks-kit.ts";

test.each(eras)("giving a call up cancels its task, and nothing else (%s)", async (era) => {
  await using far = await served(era);
  const controller = new AbortController();
  const onTask = () => controller.abort(new Error("enough"));
  const error = await failureOf(
    far.client.callTool(
      "must_work",
      { steps: 1000, ms: 1000 },
      { signal: controller.signal, task: { ...required, onTask } },
    ),
  );
  expect(error).toMatchObject({ code: "cancelled", facts: { sent: true, server: "far" } });
  await until(() => far.methods().includes("tasks/cancel"));
  expect([...far.state.tasks.values()].map(({ status }) => status)).toEqual(["cancelled"]);
  expect(far.received.filter(({ method }) => method === "notifications/cancelled")).toEqual([]);
});

test("a task that is never done ends with the hard cap, and is cancelled", async () => {
  const far = scriptedTask("modern", [{ status: "working" }]);
  const error = await failureOf(waitForTask(working(), far.context, { timeoutMs: 1000 }));
  expect(error).toMatchObject({ code: "timeout", facts: { taskId: "t", timeoutMs: 10_000 } });
  expect(far.clock.now()).toBe(10_000);
  expect(far.asked.at(-1)).toEqual(["tasks/cancel", { taskId: "t" }]);
});

test("the result of a task that is done is waited for as any answer; of one that asks, until its end", async () => {
  for (const [status, timeoutMs] of [
    ["completed", 1000],
    // What is left of the hard cap.
    ["input_required", 9980],
  ] as const) {
    const far = scriptedTask("legacy", [{ status }]);
    const times: unknown[] = [];
    const request: typeof far.context.client.request = async (method, params, options) => {
      times.push([method, options?.timeoutMs]);
      return await far.context.client.request(method, params, options);
    };
    const context = { ...far.context, client: { ...far.context.client, request } };
    await waitForTask(working({ pollInterval: 20 }), context, { timeoutMs: 1000 });
    expect(times.at(-1)).toEqual(["tasks/result", timeoutMs]);
  }
});

test("an hour of a working task is one call, as long as the cap allows it", async () => {
  const hours = Array.from({ length: 3600 }, () => ({ status: "working", pollIntervalMs: 1000 }));
  const far = scriptedTask("modern", [...hours, done]);
  const options = { timeoutMs: 1000, timeoutMaxMs: 2 * 3_600_000 };
  await waitForTask(working({ pollIntervalMs: 1000 }), far.context, options);
  expect(far.clock.now()).toBeGreaterThanOrEqual(3_600_000);
});

test("questions that get no answer do not go beyond the hard cap", async () => {
  const far = scriptedTask("modern", [refused(503)]);
  const options = { timeoutMs: 50, timeoutMaxMs: 500 };
  await failureOf(waitForTask(working(), far.context, options));
  expect(far.clock.now()).toBeLessThanOrEqual(600);
});

test("a task that the server cancelled, forgot or mixed up is an error that says so", async () => {
  const cases: [JsonObject | Error, string][] = [
    [{ status: "cancelled", statusMessage: "tired" }, "was cancelled by the server: tired"],
    [new RpcError({ code: -32602, message: "Unknown task" }), "is not known to the server"],
    [{ status: "completed" }, "is completed and has no result"],
    [{ status: 5 }, "is no task"],
    [{ ...done, taskId: "u" }, "is no task"],
  ];
  for (const [state, words] of cases) {
    const far = scriptedTask("modern", [state]);
    const error = await failureOf(waitForTask(working(), far.context, {}));
    expect(error).toMatchObject({ code: "rpc_error", facts: { taskId: "t" } });
    expect(error.message).toContain(words);
  }
});

test("an answer that claims to be a task and is none is an error", async () => {
  const far = scripted(modernScript({ call: () => ({ resultType: "task", status: "working" }) }));
  await using client = await connect(far.options);
  const error = await failureOf(client.callTool("one", {}));
  expect(error).toMatchObject({ code: "rpc_error" });
});
