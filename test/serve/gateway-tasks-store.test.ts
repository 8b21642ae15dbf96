/** Tasks as they are kept: whose they are, how many, how long, and how much of them. */
import { expect, test } from "bun:test";

import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import type { TaskOptions } from "../../lib/serve/gateway-task.ts";
import { Tasks } from "../../lib/serve/gateway-tasks.ts";
import { waitFor } from "../processes.ts";

const options = (more: Partial<TaskOptions> = {}): TaskOptions => ({
  owner: "a",
  ttlMs: 60_000,
  pollMs: 100,
  giveUp: () => {},
  ...more,
});

test("a task is found by its owner alone", () => {
  const tasks = new Tasks();
  const task = tasks.add(options())!;
  expect(tasks.find("a", { taskId: task.id })).toBe(task);
  for (const [owner, taskId] of [
    ["b", task.id],
    ["a", "other"],
    ["a", "__proto__"],
    ["a", 1],
    ["a", null],
  ] as const)
    expect(() => tasks.find(owner, { taskId })).toThrow(RpcError);
});

test("there are only so many: one that is over makes room, one that runs does not", () => {
  const tasks = new Tasks({ tasksMax: 2 });
  const [one, other] = [tasks.add(options())!, tasks.add(options())!];
  expect(tasks.add(options())).toBeUndefined();
  other.finish({ text: "{}" });
  const third = tasks.add(options());
  expect(tasks.list()).toEqual([one, third!]);
});

test("of several owners none has all: one has no more than are free, and only its own make room", () => {
  let isShared = true;
  const tasks = new Tasks({ tasksMax: 4, isShared: () => isShared });
  const of = (owner: string) => tasks.add(options({ owner }));
  const [one, two] = [of("a")!, of("a")!];
  expect(of("a")).toBeUndefined();
  expect([of("b") !== undefined, of("b")]).toEqual([true, undefined]);
  two.finish({ text: "{}" });
  const third = of("a")!;
  expect(tasks.list().filter(({ options: { owner } }) => owner === "a")).toEqual([one, third]);
  isShared = false;
  expect([of("a") !== undefined, of("a")]).toEqual([true, undefined]);
});

test("results of several owners: who has most loses the oldest", async () => {
  const tasks = new Tasks({ resultsMax: 20 });
  const all = ["b", "a", "a", "a", "a", "b"].map((owner) => tasks.add(options({ owner }))!);
  for (const task of all) task.finish({ text: "12345" });
  await Promise.resolve();
  expect(tasks.list()).toEqual([all[0]!, ...all.slice(3)]);
});

test("results are kept within a bound: the oldest go first", async () => {
  const tasks = new Tasks({ resultsMax: 10 });
  const all = [1, 2, 3].map(() => tasks.add(options())!);
  for (const task of all) task.finish({ text: "12345" });
  await Promise.resolve();
  expect(tasks.list()).toEqual(all.slice(1));
});

test("what is over stays as it is, and its time is told when it changed", () => {
  let now = 1000;
  const reasons: string[] = [];
  const tasks = new Tasks({ now: () => now });
  const giveUp: TaskOptions["giveUp"] = ({ message }) => void reasons.push(message);
  const [done, gone] = [tasks.add(options({ giveUp }))!, tasks.add(options({ giveUp }))!];
  expect([done.status, done.createdAt, done.changedAt, done.end]).toEqual([
    "working",
    1000,
    1000,
    undefined,
  ]);
  now = 2000;
  done.finish({ text: "{}" });
  gone.cancel("enough");
  now = 3000;
  done.cancel("too late");
  gone.finish({ text: "{}" });
  expect([done.status, done.changedAt, done.end]).toEqual(["completed", 2000, { text: "{}" }]);
  expect([gone.status, gone.changedAt, gone.end]).toEqual(["cancelled", 2000, undefined]);
  expect(reasons).toEqual(["enough"]);
});

test("each change of its status is told once", () => {
  let asked = {};
  const tasks = new Tasks();
  const task = tasks.add(options({ asked: () => asked }))!;
  const seen: string[] = [];
  const watching = task.watch(() => void seen.push(task.status));
  task.touch();
  asked = { key: { method: "roots/list", params: {} } };
  task.touch();
  asked = { ...asked, other: { method: "roots/list", params: {} } };
  task.touch();
  asked = {};
  task.touch();
  task.finish({ text: "{}" });
  expect(seen).toEqual(["input_required", "working", "completed"]);
  watching[Symbol.dispose]();
  const other = tasks.add(options())!;
  other.watch(() => void seen.push(other.status));
  other.cancel("enough");
  expect(seen.at(-1)).toBe("cancelled");
});

test("a task whose time is over is given up, and forgotten", async () => {
  const reasons: string[] = [];
  const tasks = new Tasks();
  const task = tasks.add(
    options({ ttlMs: 20, giveUp: ({ message }) => void reasons.push(message) }),
  )!;
  await waitFor(() => tasks.list().length === 0);
  expect([task.status, ...reasons]).toEqual(["cancelled", "the time of the task is over"]);
});
