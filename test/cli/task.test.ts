import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import { taskStore } from "../../lib/cli/task-store.ts";
import type { KeptTask } from "../../lib/cli/task-store.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer } from "../fixtures/remote/server.ts";
import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import type { TempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

const eras = ["legacy", "modern"] as const;
type Era = (typeof eras)[number];

const servers = new Map<Era, RemoteServer>();
beforeAll(async () => {
  for (const era of eras) servers.set(era, await serveRemote({ transport: "http", era }));
});
afterAll(async () => {
  for (const server of servers.values()) await server[Symbol.asyncDispose]();
});

const serverOf = (era: Era) => servers.get(era) as RemoteServer;
const flagOf = (era: Era) => ["-s", `far:http:${serverOf(era).url}`];
const program = join(root, "test/fixtures/remote/stdio.ts");
const command = (era: Era) => ["--", ...bunAlone, program, era];
const statusOf = (era: Era, id: string) => serverOf(era).state.tasks.get(id)?.status;

const callsOf = (era: Era) =>
  serverOf(era)
    .methods()
    .filter((method) => method === "tools/call").length;

/** Whether somebody asked about a task. */
const asksFor = (era: Era, id: string) =>
  serverOf(era).requests.some(({ body }) => body.includes("tasks/get") && body.includes(id));

/** Begins a task, and returns its id. */
async function begin(home: TempDir, era: Era, ...words: string[]): Promise<string> {
  const run = await mcphost("call", ...words, "--detach", ...flagOf(era))
    .home(home.path)
    .run();
  expectRun(run, { stdout: /^\S+\n$/ });
  return run.stdout.trim();
}

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

test.each(eras)("a task is cancelled, and is not listed any more (%s)", async (era) => {
  await using home = await tempDir();
  const id = await begin(home, era, "must_work", "steps:=100", "ms:=1000");
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  expectRun(await task(id, "--cancel").run(), { stderr: `mcphost: task ${id}: cancelled\n` });
  expect(statusOf(era, id)).toBe("cancelled");
  expectRun(await task().run(), { stderr: "mcphost: there are no tasks\n" });
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

test("a server that is named says itself which tasks it keeps, where it can", async () => {
  for (const era of eras) {
    await using home = await tempDir();
    const id = await begin(home, era, "work", "steps:=1");
    const run = await mcphost("task", "--json", ...flagOf(era))
      .home(home.path)
      .run();
    const ids = JSON.parse(run.stdout).map(({ taskId }: { taskId: string }) => taskId);
    // A modern server cannot tell: this is the one that was begun here.
    const all = [...serverOf(era).state.tasks.keys()];
    expect(ids.toSorted()).toEqual((era === "legacy" ? all : [id]).toSorted());
    expectRun(
      await mcphost("task", ...flagOf(era))
        .home(home.path)
        .run(),
      {
        stdout: new RegExp(`${id}  \\w+  far\\.work  2`),
      },
    );
  }
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

test("a server without tasks is said to have none", async () => {
  const echo = [...bunAlone, join(root, "examples/echo.ts")];
  expectRun(await mcphost("task", "abc", "--", ...echo).run(), {
    code: 1,
    stderr:
      /^mcphost: server "server" has no tasks \(-32601: Method not found: tasks\/get\)\n.*--forget/,
  });
});

test("an id that nobody knows, or that several tasks begin with, is a usage error", async () => {
  await using home = await tempDir();
  const task = (...words: string[]) => mcphost("task", ...words).home(home.path);
  expectRun(await task("nothing").run(), {
    code: 2,
    stderr: /no task "nothing" is kept here\n.*name its server/,
  });
  const ids = [await begin(home, "modern", "work"), await begin(home, "modern", "work")];
  expectRun(await task("").run(), { code: 2, stderr: /beginning of several tasks/ });
  expectRun(await task(`${ids[0]?.slice(0, -1)}!`).run(), {
    code: 2,
    stderr: new RegExp(`${ids[0]}`),
  });
  expectRun(await task("a", "b").run(), { code: 2, stderr: /takes one ID/ });
  expectRun(await task("--cancel").run(), { code: 2, stderr: /--cancel takes one ID/ });
});

test("a task that was begun elsewhere is asked for by its server", async () => {
  await using here = await tempDir();
  const id = await begin(here, "modern", "work", "steps:=1");
  const run = await mcphost("task", id, "--wait", ...flagOf("modern")).run();
  expectRun(run, { stdout: "done after 1 steps\n" });
});

test("the server is found again as it was named: by a config beside the call", async () => {
  await using home = await tempDir();
  await using folder = await tempDir();
  const config = { mcpServers: { far: { type: "http", url: "${FAR_URL}" } } };
  await writeFile(folder.file("servers.json"), JSON.stringify(config));
  const env = { FAR_URL: serverOf("modern").url };
  const run = await mcphost("call", "work", "steps:=1", "--detach", "-c", "servers.json")
    .env(env)
    .home(home.path)
    .cwd(folder.path)
    .run();
  expectRun(run, { stdout: /^\S+\n$/ });
  const id = run.stdout.trim();
  const later = mcphost("task", id, "--wait").env(env).home(home.path);
  expectRun(await later.run(), { stdout: "done after 1 steps\n" });
  // What is said on the line itself counts more.
  const named = mcphost("task", id, "--wait", ...flagOf("modern")).home(home.path);
  expectRun(await named.run(), { stdout: "done after 1 steps\n" });
  await writeFile(
    folder.file("servers.json"),
    JSON.stringify({ mcpServers: { a: { command: "x" }, b: { command: "y" } } }),
  );
  expectRun(await mcphost("task", id).home(home.path).run(), {
    code: 2,
    stderr: /"far", which is not configured any more/,
  });
});

test("tasks are kept in files for our eyes only", async () => {
  await using home = await tempDir();
  await begin(home, "modern", "work", "--header", "X-Key: ${HOME}");
  const folder = home.file("state/mcphost/tasks");
  const [name] = await readdir(folder);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, name as string))).mode & 0o777).toBe(0o600);
  // As it was written: what is secret stays where it was.
  expect(await Bun.file(join(folder, name as string)).text()).toContain("X-Key: ${HOME}");
});

test("a folder that cannot be written is a warning, and the id is printed all the same", async () => {
  await using home = await tempDir();
  await writeFile(home.file("state"), "no folder");
  const run = await mcphost("call", "work", "--detach", ...flagOf("modern"))
    .home(home.path)
    .run();
  expectRun(run, { stdout: /^\S+\n$/, stderr: /could not be kept here/ });
});

const kept = (more: Partial<KeptTask> = {}): KeptTask => ({
  taskId: "t",
  server: "s",
  tool: "x",
  status: "working",
  at: "2026-01-01T00:00:00.000Z",
  ttlMs: 60_000,
  flags: {},
  cwd: "/",
  ...more,
});

test("broken files are passed over, expired ones removed, the newest come first", async () => {
  await using folder = await tempDir();
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  let now = Date.parse("2026-01-01T00:00:30.000Z");
  const store = taskStore({ folder: folder.path, log, now: () => now });
  await store.keep(kept());
  await store.keep(kept({ taskId: "u", at: "2026-01-01T00:00:01.000Z", ttlMs: null }));
  await store.keep(kept({ server: "other" }));
  const odd = [
    "",
    "{",
    "[]",
    "null",
    '{"taskId":1}',
    JSON.stringify({ ...kept(), flags: { a: {} } }),
  ];
  for (const [at, text] of odd.entries())
    await writeFile(folder.file("tasks", `${String(at).repeat(64)}.json`), text);
  await writeFile(folder.file("tasks", "notes.txt"), "not ours");
  expect((await store.list()).map(({ taskId, server }) => [taskId, server])).toEqual([
    ["u", "s"],
    ["t", expect.any(String)],
    ["t", expect.any(String)],
  ]);
  expect(logged.filter(({ level }) => level === "debug")).toHaveLength(odd.length);
  now += 3_600_000;
  expect((await store.list()).map(({ taskId }) => taskId)).toEqual(["u"]);
  expect(await readdir(folder.file("tasks"))).toHaveLength(odd.length + 2);
  now += 31 * 24 * 3_600_000;
  expect(await store.list()).toEqual([]);
});

test("without a state folder nothing is kept, and nothing fails", async () => {
  const store = taskStore({ folder: undefined, log: () => {} });
  expect(await store.keep(kept())).toBe(false);
  await store.forget(kept());
  expect(await store.list()).toEqual([]);
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
