/** Which server a task is asked for at, and the ids that it is known by. */
import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { eras } from "../client/served.ts";
import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { taskServers } from "./task-kit.ts";

const { serverOf, flagOf, begin } = taskServers();

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
