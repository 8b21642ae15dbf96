/** Calls that run as tasks: lost and bad answers about a task, and links that are lost. */
import { expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { waitForTask } from "../../lib/client/tasks-wait.ts";
import { RpcError } from "../../lib/protocol/jsonrpc.ts";
import { done, failureOf, refused, scriptedTask, working } from "./tasks-kit.ts";

const lost = () =>
  new HostError("server_exit", "lost", { facts: { sent: false, sessionLost: true } });

test("a lost answer about a task is asked for again; a lost link leaves the task alone", async () => {
  const far = scriptedTask("modern", [lost(), lost(), done]);
  await waitForTask(working(), far.context, {});
  expect(far.asked.map(([method]) => method)).toEqual(["tasks/get", "tasks/get", "tasks/get"]);

  const gone = scriptedTask("modern", [lost()]);
  gone.close();
  const error = await failureOf(waitForTask(working(), gone.context, {}));
  expect(error).toMatchObject({ code: "uncertain", facts: { taskId: "t", sent: true } });
  // The call itself must never be repeated for it.
  expect(error.facts).not.toHaveProperty("sessionLost");
  expect(gone.asked).toHaveLength(1);
});

const broken = new RpcError({ code: -32603, message: "oops" });

test.each<[string, Error]>([
  ["500", refused(500)],
  ["429", refused(429)],
  ["401", refused(401, "auth_required")],
  ["an internal error", broken],
])("one bad answer to a question about a task (%s) means nothing", async (_, error) => {
  const far = scriptedTask("modern", [error, error, done]);
  await waitForTask(working(), far.context, {});
  expect(far.asked.map(([method]) => method)).toEqual(["tasks/get", "tasks/get", "tasks/get"]);
  expect(far.clock.waits).toEqual([100, 200, 400]);
});

test("a server that no longer answers about a task: it is not known what becomes of it, and not cancelled", async () => {
  for (const [error, code] of [
    [refused(500), "uncertain"],
    [refused(401, "auth_required"), "uncertain"],
    [broken, -32603],
  ] as const) {
    const far = scriptedTask("modern", [error]);
    const failure = await failureOf(waitForTask(working(), far.context, {}));
    expect(failure as unknown).toMatchObject({ code });
    expect(far.asked).toEqual(Array.from({ length: 6 }, () => ["tasks/get", { taskId: "t" }]));
  }
});
