/** Tasks of clients of 2025-11-25, in front of servers of either era. */
import { describe, expect, test } from "bun:test";

import { waitFor } from "../processes.ts";
import { answerTo, collect, full, gatewayOver, session, textOf, told } from "./gateway-kit.ts";
import type { Told } from "./gateway-kit.ts";

type Client = Awaited<ReturnType<typeof session>>;

const related = "io.modelcontextprotocol/related-task";

async function request(client: Client, method: string, params: object): Promise<Told> {
  return answerTo(await told(await client.request(method, params)))!;
}

function begin(client: Client, name: string, args: object = {}, task: object = { ttl: 60_000 }) {
  return request(client, "tools/call", { name, arguments: args, task });
}

async function until(client: Client, taskId: string, status: string): Promise<void> {
  await waitFor(
    async () => (await request(client, "tasks/get", { taskId })).result?.status === status,
    `the task to be ${status}`,
  );
}

describe.each(["legacy", "modern"] as const)("in front of a %s server", (era) => {
  test("a call is made a task where it asks for one: its status, its result, its end", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const client = await session(kit);
    expect(client.greeting.result.capabilities.tasks).toEqual({
      list: {},
      cancel: {},
      requests: { tools: { call: {} } },
    });
    const { tools } = (await request(client, "tools/list", {})).result;
    const support = Object.fromEntries(
      tools.map(({ name, execution }: any) => [name, execution?.taskSupport]),
    );
    // Those that must be one are waited for where nobody asks.
    expect(support).toMatchObject({ must_work: "optional", work: "optional" });
    expect(support["echo"]).toBeUndefined();

    const { task } = (await begin(client, "must_work", { steps: 3, ms: 10 })).result;
    expect(task).toEqual({
      taskId: expect.any(String),
      status: "working",
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      lastUpdatedAt: expect.any(String),
      ttl: 60_000,
      pollInterval: expect.any(Number),
    });
    const { taskId } = task;
    const done = await request(client, "tasks/result", { taskId });
    expect(textOf(done)).toBe("done after 3 steps");
    expect(done.result._meta[related]).toEqual({ taskId });
    expect((await request(client, "tasks/get", { taskId })).result.status).toBe("completed");
    // Asked again, it answers the same.
    expect(await request(client, "tasks/result", { taskId })).toEqual(done);
    const waited = await request(client, "tools/call", { name: "must_work", arguments: { ms: 1 } });
    expect(textOf(waited)).toBe("done after 3 steps");
  });

  test("an error, and a result that is one, are failures", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const client = await session(kit);
    const broken = (await begin(client, "work_fails", { error: true })).result.task;
    const error = await request(client, "tasks/result", { taskId: broken.taskId });
    expect(error.error).toMatchObject({ code: -32050, message: "the work broke" });
    await until(client, broken.taskId, "failed");
    const bad = (await begin(client, "work_fails")).result.task;
    const result = await request(client, "tasks/result", { taskId: bad.taskId });
    expect(result.result).toMatchObject({ isError: true });
    await until(client, bad.taskId, "failed");
  });

  test("a task is cancelled once; a session lists its own", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const [client, other] = [await session(kit), await session(kit)];
    const { taskId } = (await begin(client, "work", { steps: 1000, ms: 20 })).result.task;
    const listed = await request(client, "tasks/list", {});
    expect(listed.result.tasks.map((task: any) => task.taskId)).toEqual([taskId]);
    expect((await request(other, "tasks/list", {})).result.tasks).toEqual([]);
    const waiting = client.request("tasks/result", { taskId }, "wait").then(told);
    const cancelled = await request(client, "tasks/cancel", { taskId });
    expect(cancelled.result).toMatchObject({ taskId, status: "cancelled" });
    expect(answerTo(await waiting, "wait")?.error?.code).toBe(-32602);
    expect((await request(client, "tasks/cancel", { taskId })).error?.code).toBe(-32602);
    const none = { taskId: "none" };
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"])
      expect((await request(client, method, none)).error?.code).toBe(-32602);
  });

  test("what a task asks is asked on the request that waits for its result", async () => {
    await using kit = gatewayOver({ s: full(era) });
    const client = await session(kit, { capabilities: { elicitation: {} } });
    await client.notify("notifications/initialized");
    const { taskId } = (await begin(client, "work_asks")).result.task;
    await until(client, taskId, "input_required");
    const all = collect(await client.request("tasks/result", { taskId }, "wait"));
    await waitFor(() => all.length > 0);
    const [asked] = all;
    expect(asked).toMatchObject({
      method: "elicitation/create",
      params: { message: "Go on?", _meta: { [related]: { taskId } } },
    });
    const answer = { action: "accept", content: { name: "Ada" } };
    await client.answer(asked!.id, { result: answer });
    await waitFor(() => all.length > 1);
    expect(JSON.parse(textOf(answerTo(all, "wait")))).toEqual(answer);
  });
});

test("a tool that may be a task is one of its server's, too, where a client asks for one", async () => {
  await using kit = gatewayOver({ s: full() });
  const client = await session(kit);
  const call = { name: "work", arguments: { steps: 1, ms: 1 } };
  expect(textOf(await request(client, "tools/call", call))).toBe("done after 1 steps");
  expect(await kit.host.tasksOf("s")).toEqual([]);
  const { taskId } = (await begin(client, "work", { steps: 1, ms: 1 })).result.task;
  await until(client, taskId, "completed");
  const made = await kit.host.tasksOf("s");
  expect(made?.map(({ status }) => status)).toEqual(["completed"]);
  // The server's own name for it is not shown.
  expect(made?.[0]?.taskId).not.toBe(taskId);
});

test("a tool that does not run as a task is refused as one, and one that is not there is unknown", async () => {
  await using kit = gatewayOver({ s: full() });
  const client = await session(kit);
  expect((await begin(client, "echo", { text: "x" })).error?.code).toBe(-32601);
  expect((await begin(client, "none")).error).toMatchObject({
    code: -32602,
    message: 'no tool is called "none"',
  });
});

test("an older revision knows no tasks", async () => {
  await using kit = gatewayOver({ s: full() });
  const client = await session(kit, { revision: "2025-06-18" });
  expect(client.greeting.result.capabilities.tasks).toBeUndefined();
  const { tools } = (await request(client, "tools/list", {})).result;
  expect(tools.every((tool: any) => tool.execution === undefined)).toBe(true);
  expect((await request(client, "tasks/list", {})).error?.code).toBe(-32601);
  const called = await begin(client, "must_work", { steps: 1, ms: 1 });
  expect(textOf(called)).toBe("done after 1 steps");
});

test("a task's time bounds it: then it is cancelled, and forgotten", async () => {
  await using kit = gatewayOver({ s: full() });
  const client = await session(kit);
  const ends: string[] = [];
  using _watching = kit.host.onEvent((event) => {
    if (event.type === "call_end") ends.push(`${event.tool} ${event.status}`);
  });
  const { taskId } = (await begin(client, "work", { steps: 1000, ms: 20 }, { ttl: 200 })).result
    .task;
  await waitFor(() => ends.includes("work cancelled"));
  expect((await request(client, "tasks/get", { taskId })).error?.code).toBe(-32602);
});
