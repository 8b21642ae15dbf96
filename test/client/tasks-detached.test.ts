/** Calls that run as tasks and that nobody waits for. */
import { expect, test } from "bun:test";

import { connect } from "../../lib/client/client.ts";
import type { TaskWish } from "../../lib/client/types.ts";
import type { Task } from "../../lib/protocol/tasks.ts";
import { modernScript, scripted } from "./kit.ts";
import { eras, served } from "./served.ts";
import { failureOf } from "./tasks-kit.ts";

const detached = (support: TaskWish["support"]) => ({ task: { support, detach: true } });

test.each(eras)(
  "a call that nobody waits for goes on, and can be asked about (%s)",
  async (era) => {
    await using far = await served(era);
    let task: Task | undefined;
    const wish: TaskWish = { support: "optional", detach: true, onTask: (made) => (task = made) };
    await far.client.callTool("work", { steps: 2, ms: 5 }, { task: wish });
    expect(task?.status).toBe("working");
    expect(far.methods()).not.toContain("tasks/get");
    const tasks = await far.client.tasks();
    const seen = await tasks.get((task as Task).taskId);
    expect(seen.status).toBe("working");
    expect((await tasks.finish(seen)).result.content).toBeArray();
    const listed = await tasks.list();
    expect(listed?.map(({ taskId }) => taskId)).toEqual(
      era === "legacy" ? [seen.taskId] : undefined,
    );
  },
);

test("a tool that cannot run as a task is refused before anything is sent", async () => {
  await using far = await served("legacy");
  const error = await failureOf(far.client.callTool("echo", {}, detached("forbidden")));
  expect(error).toMatchObject({ code: "usage", facts: { tool: "echo", sent: false } });
  expect(far.methods()).not.toContain("tools/call");

  const plain = scripted(modernScript());
  await using client = await connect(plain.options);
  expect(await failureOf(client.callTool("one", {}, detached("required")))).toMatchObject({
    code: "usage",
  });
  expect(plain.methods()).not.toContain("tools/call");
});
