/** Tasks through a host: called as any other tool, asked about by another host, given up and cancelled. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { createHost } from "../../lib/host/create.ts";
import { eras } from "../client/served.ts";
import { root } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { textOf } from "./kit.ts";
import { remote } from "./lasting-kit.ts";

test.each(eras)("a tool that must run as a task is called as any other (%s)", async (era) => {
  await using far = await remote({ transport: "http", era });
  const outcome = await far.host.call({ tool: "must_work", arguments: { steps: 2, ms: 5 } });
  expect(textOf(outcome)).toBe("done after 2 steps");
  expect(far.times("tasks/get")).toBeGreaterThan(0);
});

test.each(eras)(
  "a call that nobody waits for can be asked about by another host (%s)",
  async (era) => {
    await using far = await remote({ transport: "http", era });
    const outcome = await far.host.call({
      tool: "work",
      arguments: { steps: 2, ms: 20 },
      detach: true,
      validate: false,
    });
    if (outcome.status !== "detached") throw new Error(textOf(outcome));
    expect(outcome.server).toBe("far");
    const { taskId } = outcome.task;
    await far.host[Symbol.asyncDispose]();

    await using other = await createHost({ servers: { far: { url: far.server.url } } });
    const task = await other.task("far", taskId);
    expect((await task.state()).taskId).toBe(taskId);
    expect(textOf(await task.outcome())).toBe("done after 2 steps");
    expect((await task.state()).status).toBe("completed");
  },
);

test("a task that nobody knows, on a server that nobody knows", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  await expect(far.host.task("near", "t")).rejects.toMatchObject({ code: "usage" });
  const task = await far.host.task("far", "t");
  const unknown = { code: "rpc_error", facts: { rpcCode: -32602 } };
  await expect(task.state()).rejects.toMatchObject(unknown);
  await expect(task.cancel()).rejects.toMatchObject(unknown);
  expect(await task.outcome()).toMatchObject({ status: "failed", sent: true, error: unknown });
});

test("giving up the wait for a task leaves it alone; cancelling it does not", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const call = { tool: "must_work", arguments: { steps: 100, ms: 1000 }, detach: true };
  const outcome = await far.host.call(call);
  if (outcome.status !== "detached") throw new Error(textOf(outcome));
  const { taskId } = outcome.task;
  const task = await far.host.task("far", taskId);
  const controller = new AbortController();
  const waiting = task.outcome({ signal: controller.signal });
  await waitFor(() => far.times("tasks/get") > 2, "some questions");
  controller.abort();
  expect(await waiting).toMatchObject({ status: "cancelled", sent: true });
  expect(far.server.state.tasks.get(taskId)?.status).toBe("working");
  await task.cancel();
  expect(await task.outcome()).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
});

test("a call whose task was going on when the server went away is uncertain, and is not repeated", async () => {
  await using far = await remote({ transport: "http", era: "modern" });
  const calling = far.host.call({ tool: "must_work", arguments: { steps: 100, ms: 1000 } });
  await waitFor(() => far.times("tasks/get") > 1, "a task");
  await far.server.stop();
  expect(await calling).toMatchObject({
    status: "uncertain",
    error: { facts: { taskId: expect.any(String) } },
  });
  expect(far.times("tools/call")).toBe(1);
}, 20_000);

test("tasks of the official SDK, 1.x", async () => {
  const program = join(root, "test/fixtures/real/sdk1-tasks.ts");
  const asked: unknown[] = [];
  const elicit = async ({ message }: { message?: unknown }) => {
    asked.push(message);
    return { action: "decline" };
  };
  await using host = await createHost({
    servers: { sdk: { command: process.execPath, args: [program] } },
    answers: { elicit },
    env: process.env,
  });
  const call = (way: string, detach = false) =>
    host.call({ tool: "work", arguments: { way }, detach });
  expect(textOf(await call("done"))).toBe("done");
  expect(await call("fail")).toMatchObject({ status: "failed", result: { isError: true } });
  expect(textOf(await call("ask"))).toBe("done: decline");
  expect(asked).toEqual(["Sure?"]);
  const left = await call("hang", true);
  if (left.status !== "detached") throw new Error(textOf(left));
  const task = await host.task("sdk", left.task.taskId);
  expect((await task.state()).status).toBe("working");
  await task.cancel();
  expect((await task.state()).status).toBe("cancelled");
});
