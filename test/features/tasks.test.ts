/** Tasks over every transport and era: waited for, asked for, asked something, left and found again, cancelled. */
import { describe, expect, test } from "bun:test";

import { openWay, sayOf, ways } from "./ways.ts";

const sayAda = async () => ({ action: "accept", content: { name: "Ada" } });

// HTTP+SSE negotiates a revision that has tasks, as the others do.
describe.each(ways)("$name", (way) => {
  test.each(["work", "must_work"])(
    "%s: a call that runs as a task has the tool's result",
    async (tool) => {
      await using on = await openWay(way);
      expect(await on.say(tool, { steps: 3, ms: 5 })).toBe("done after 3 steps");
    },
  );

  test("left, and found again by another host", async () => {
    await using on = await openWay(way);
    const left = await on.host.call({
      tool: "must_work",
      arguments: { steps: 5, ms: 10 },
      detach: true,
    });
    if (left.status !== "detached") throw new Error(sayOf(left));
    const { taskId } = left.task;
    // A process takes its tasks with it.
    await using other = way.transport && (await openWay(way, { entry: { url: on.server!.url } }));
    const { host } = other ?? on;
    const task = await host.task("srv", taskId);
    expect((await task.state()).taskId).toBe(taskId);
    expect(sayOf(await task.outcome())).toBe("done after 5 steps");
    expect((await task.state()).status).toBe("completed");
  });

  test("one that asks", async () => {
    await using on = await openWay(way, { answers: { elicit: sayAda } });
    expect(JSON.parse(await on.say("work_asks"))).toMatchObject({
      action: "accept",
      content: { name: "Ada" },
    });
  });

  test("one whose tool fails, and one that breaks", async () => {
    await using on = await openWay(way);
    expect(await on.host.call({ tool: "work_fails" })).toMatchObject({
      status: "failed",
      result: { isError: true, content: [{ text: "the work failed" }] },
    });
    expect(await on.host.call({ tool: "work_fails", arguments: { error: true } })).toMatchObject({
      status: "failed",
      error: { facts: { rpcCode: -32050 } },
    });
  });

  test("cancelled", async () => {
    await using on = await openWay(way);
    const left = await on.host.call({
      tool: "work",
      arguments: { steps: 1000, ms: 20 },
      detach: true,
    });
    if (left.status !== "detached") throw new Error(sayOf(left));
    const task = await on.host.task("srv", left.task.taskId);
    expect((await task.state()).status).toBe("working");
    await task.cancel();
    expect((await task.state()).status).toBe("cancelled");
    expect((await task.outcome()).status).toBe("failed");
  });

  test("one that nobody knows", async () => {
    await using on = await openWay(way);
    const task = await on.host.task("srv", "no-such-task");
    const asking = task.state().catch((error: unknown) => error);
    expect(await asking).toMatchObject({ code: "rpc_error", facts: { rpcCode: -32602 } });
  });
});
