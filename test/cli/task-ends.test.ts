/** Tasks that are cancelled, left alone, taken along by their server, or not known any more. */
import { expect, test } from "bun:test";

import { eras } from "../client/served.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { command, taskServers } from "./task-kit.ts";

const { serverOf, flagOf, statusOf, asksFor, begin } = taskServers();

test.each(eras)("a task is cancelled, and is not listed any more (%s)", async (era) => {
  await using home = await tempDir();
  const id = await begin(home, era, "must_work", "steps:=100", "ms:=1000");
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  expectRun(await task(id, "--cancel").run(), { stderr: `mcphost: task ${id}: cancelled\n` });
  expect(statusOf(era, id)).toBe("cancelled");
  expectRun(await task().run(), { stderr: "mcphost: there are no tasks\n" });
});

test.each(eras)("Ctrl-C while waiting for a task leaves it alone (%s)", async (era) => {
  await using home = await tempDir();
  const id = await begin(home, era, "must_work", "steps:=100", "ms:=1000");
  const asked = serverOf(era).methods().length;
  await using running = await mcphost("task", id, "--wait").home(home.path).start();
  await waitFor(() => serverOf(era).methods().slice(asked).includes("tasks/get"), "a question");
  running.kill("SIGINT");
  expect((await running.done).code).toBe(130);
  expect(statusOf(era, id)).toBe("working");
});

test.each(eras)("Ctrl-C while a call waits for its task cancels it (%s)", async (era) => {
  const before = new Set(serverOf(era).state.tasks.keys());
  const mine = () => [...serverOf(era).state.tasks.values()].filter(({ id }) => !before.has(id));
  const words = ["call", "must_work", "steps:=100", "ms:=1000"];
  await using running = await mcphost(...words, ...flagOf(era)).start();
  // Before its answer has arrived nobody here knows of the task.
  await waitFor(() => mine().some(({ id }) => asksFor(era, id)), "a question about its task");
  running.kill("SIGINT");
  expect((await running.done).code).toBe(130);
  await waitFor(() => mine()[0]?.status === "cancelled", "its cancellation");
});

test("a server that is started by a command takes its tasks with it, and that is said", async () => {
  await using home = await tempDir();
  const words = ["call", "work", "steps:=1", "ms:=1", "--detach", ...command("modern")];
  const run = await mcphost(...words)
    .home(home.path)
    .run();
  expectRun(run, {
    stdout: /^\S+\n$/,
    stderr: /ends with this command, and its tasks end with it/,
  });
  const again = await mcphost("task", run.stdout.trim()).home(home.path).run();
  expectRun(again, { code: 1, stderr: /was started anew: tasks of a server .* end with it/ });
});

test("a task that its server does not know any more is forgotten here, too", async () => {
  await using home = await tempDir();
  const id = await begin(home, "modern", "work");
  serverOf("modern").state.tasks.delete(id);
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  expectRun(await task(id, "--wait").run(), {
    code: 1,
    stderr: /-32602.*\n.*keeps its tasks for a time/,
  });
  expectRun(await task().run(), { stderr: "mcphost: there are no tasks\n" });
});

test("a task that its server answers no state of is not shown as working, and can be forgotten", async () => {
  await using home = await tempDir();
  await using far = await serveRemote({
    transport: "http",
    era: "legacy",
    intercept({ message }) {
      if (message === undefined || !("method" in message) || !("id" in message)) return undefined;
      if (message.method !== "tasks/get") return undefined;
      const error = { code: -32603, message: "Task not found" };
      return Response.json({ jsonrpc: "2.0", id: message.id, error });
    },
  });
  const call = mcphost("call", "must_work", "--detach", "-s", `far=${far.url}`);
  const id = (await call.home(home.path).run()).stdout.trim();
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  expectRun(await task(id).run(), { code: 1, stderr: /not found.*\n.*--forget/ });
  expectRun(await task().run(), { stdout: new RegExp(`^${id}  unknown  `) });
  const asked = far.requests.length;
  expectRun(await task(id, "--forget", "--wait").run(), { code: 2, stderr: /--forget/ });
  expectRun(await task(id.slice(0, 8), "--forget").run(), {
    stderr: `mcphost: task ${id} is not listed any more\n`,
  });
  expect(far.requests).toHaveLength(asked);
  expectRun(await task().run(), { stderr: "mcphost: there are no tasks\n" });
  expectRun(await task(id, "--forget").run(), { code: 2, stderr: /is kept here/ });
  expectRun(await task(id, "--forget", "-s", far.url).run(), { code: 2, stderr: /is kept here/ });
  expectRun(await task("--forget").run(), { code: 2, stderr: /takes one ID/ });
});
