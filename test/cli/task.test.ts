/** Tasks on the command line: how they go, what they come to, and tools that cannot run as one. */
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { eras } from "../client/served.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { command, taskServers } from "./task-kit.ts";

const { flagOf, statusOf, callsOf, begin } = taskServers();

test.each(eras)("how a task goes is told, on stderr (%s)", async (era) => {
  await using home = await tempDir();
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  const id = await begin(home, era, "must_work", "steps:=100", "ms:=1000");
  const working = `mcphost: task ${id}: working\n`;
  expectRun(await task(id.slice(0, 8)).run(), { code: 9, stderr: working });
  expectRun(await task(id, "--json").run(), {
    code: 9,
    stderr: /^\{"task":\{.*"status":"working".*\}\}\n$/,
  });
  expectRun(await task(id, "-q").run(), { code: 9 });
  const line = new RegExp(`^${id}  working  far\\.must_work  20\\S+Z\n$`);
  expectRun(await task().run(), { stdout: line });
  await using screen = await task().terminal();
  expect(await screen.exited).toBe(0);
  const began = String.raw`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`;
  expect(screen.text()).toMatch(
    new RegExp(`^${id.slice(0, 8)}  working  far\\.must_work  ${began}\r\n`),
  );
  expect(screen.text()).toContain("as they were last seen; mcphost task ID asks the server\r\n");
});

test.each(eras)(
  "a task that waits for input says so, by its exit status, too (%s)",
  async (era) => {
    await using home = await tempDir();
    const id = await begin(home, era, "work_asks");
    const task = (...words: string[]) => mcphost("task", id, ...words).home(home.path);
    await waitFor(() => statusOf(era, id) === "input_required", "the question");
    expectRun(await task().run(), { code: 10, stderr: /: waits for input \(--wait answers it\)/ });
    const json = await task("--json").run();
    expect([json.code, JSON.parse(json.stderr).task.status]).toEqual([10, "input_required"]);
  },
);

test.each(eras)("a call that nobody waits for is found again by its id (%s)", async (era) => {
  await using home = await tempDir();
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  const id = await begin(home, era, "work", "steps:=2", "ms:=50");
  expectRun(await task(id, "--wait").run(), { stdout: "done after 2 steps\n" });
  // Again, as long as the server keeps it, and without waiting.
  expectRun(await task(id.slice(0, 8)).run(), { stdout: "done after 2 steps\n" });
  expectRun(await task(id, "--json").run(), { stdout: /^\{.*"text":"done after 2 steps".*\}\n$/ });
  const [listed] = JSON.parse((await task("--json").run()).stdout);
  expect(listed).toMatchObject({ taskId: id, server: "far", tool: "work", status: "completed" });
});

test.each(eras)("what --max-time ends is told as the task that it was (%s)", async (era) => {
  await using home = await tempDir();
  const words = ["must_work", "steps:=100", "ms:=1000"];
  const running =
    /^mcphost: given up after 1 s \(--max-time\) while task \S+ of server "far" was running\n/;
  const call = mcphost("call", ...words, "--max-time", "1", ...flagOf(era)).home(home.path);
  expectRun(await call.run(), { code: 4, stderr: running });
  const id = await begin(home, era, ...words);
  const task = mcphost("task", id, "--wait", "--max-time", "1").home(home.path);
  expectRun(await task.run(), { code: 4, stderr: running });
});

test.each(eras)(
  "what a task failed with is what the call would have failed with (%s)",
  async (era) => {
    await using home = await tempDir();
    const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
    const failed = await begin(home, era, "work_fails");
    expectRun(await task(failed, "--wait").run(), { code: 1, stderr: "the work failed\n" });
    const broke = await begin(home, era, "work_fails", "error:=true");
    expectRun(await task(broke, "--wait").run(), { code: 1, stderr: /-32050: the work broke/ });
  },
);

test("a tool that cannot run as a task is refused before anything is sent", async () => {
  const words = ["call", "echo", "text=hi", "--detach"];
  const run = await mcphost(...words, ...command("legacy")).run();
  expectRun(run, {
    code: 2,
    stderr: /^mcphost: the tool echo of server "server" does not run as a task\n.*without --detach/,
  });
  const before = callsOf("legacy");
  expectRun(await mcphost(...words, ...flagOf("legacy")).run(), { code: 2, stderr: /task/ });
  expect(callsOf("legacy")).toBe(before);
  expectRun(await mcphost("call", "work", "--detach", "-o", "file", ...flagOf("legacy")).run(), {
    code: 2,
    stderr: /--output wants one/,
  });
});

test("the help of a tool says that it runs as a task", async () => {
  const run = await mcphost("tools", "must_work", ...flagOf("legacy")).run();
  expectRun(run, { stdout: /The server says: runs as a task\n/ });
});

test("a modern server that answers at once has made no task: the result is printed", async () => {
  const run = await mcphost("call", "echo", "text=hi", "--detach", ...flagOf("modern")).run();
  expectRun(run, { stdout: "hi\n", stderr: /done at once: there is no task\n$/ });
});

test.each(eras)("the result of a task passes plugins as that of a call does (%s)", async (era) => {
  await using home = await tempDir();
  const redact = join(home.path, "redact.ts");
  await writeFile(
    redact,
    `export default { name: "redact", hooks: { afterCall: ({ server, tool }, { status, result }) =>
      result && { result: [server, tool, status].join(" ") } } };`,
  );
  const id = await begin(home, era, "must_work", "steps:=1", "ms:=1");
  const run = await mcphost("task", id, "--wait", "--plugin", redact).home(home.path).run();
  expectRun(run, { stdout: "far must_work completed\n" });
});
