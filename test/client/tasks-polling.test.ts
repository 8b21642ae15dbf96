/** Calls that run as tasks: how often a server is asked, and what makes it sooner. */
import { expect, test } from "bun:test";

import { waitForTask } from "../../lib/client/tasks-wait.ts";
import { pollDelayMs } from "../../lib/protocol/tasks.ts";
import { done, scriptedTask, working } from "./tasks-kit.ts";

const poll = (pollIntervalMs: number) => ({ status: "working", pollIntervalMs });

test("a server is asked as often as it wants, within bounds, as that changes", async () => {
  const far = scriptedTask("modern", [poll(5000), poll(0), poll(1e9), done]);
  await waitForTask(working({ pollIntervalMs: 300 }), far.context, {});
  expect(far.clock.waits).toEqual([300, 5000, 20, 60_000]);
});

test("where a server asks for nothing it is asked less and less often", async () => {
  const far = scriptedTask("legacy", [...Array.from({ length: 5 }, () => working().raw), done]);
  await waitForTask(working(), far.context, {});
  expect(far.clock.waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  expect(far.asked.at(-1)?.[0]).toBe("tasks/result");
});

test("a task is looked at before its time to live is over", () => {
  const task = working({ ttlMs: 1000, pollIntervalMs: 5000 });
  expect([0, 500, 990, 1500].map((age) => pollDelayMs(task, 0, age))).toEqual([500, 250, 20, 5000]);
  expect(pollDelayMs(working({ ttl: null, pollInterval: 70 }), 0, 1e9)).toBe(70);
});

test("a change that is told of is looked at without waiting", async () => {
  for (const method of ["notifications/tasks/status", "notifications/tasks"]) {
    const far = scriptedTask("legacy", [done]);
    // Time stands still: only the notification can end the wait.
    const clock = { ...far.clock, sleep: () => new Promise<void>(() => {}) };
    const waiting = waitForTask(working({ pollInterval: 60_000 }), { ...far.context, clock }, {});
    far.tell(method, { taskId: "another" });
    far.tell(method, { taskId: "t", status: "completed" });
    await waiting;
  }
});

test("news that come while it is being asked are looked at soon, and never without a pause", async () => {
  const far = scriptedTask("legacy", [working({ pollInterval: 60_000 }).raw, done]);
  const { request } = far.context.client;
  far.context.client.request = async (method, params) => {
    if (method === "tasks/get") far.tell("notifications/tasks/status", { taskId: "t" });
    return await request(method, params);
  };
  await waitForTask(working({ pollInterval: 30_000 }), far.context, {});
  expect(far.clock.waits).toEqual([30_000, 50]);
});
