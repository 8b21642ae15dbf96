/** Audit logs that cannot be written, stores that are damaged, and calls that are killed while they wait. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { audited, eventsIn, server, shortOf } from "./log-kit.ts";

setDefaultTimeout(30_000);

test.each([
  ["a pipe that nobody reads", "took nothing"],
  ["a full device", "ENOSPC"],
])("%s as that file is told once, and the call is done", async (what, why) => {
  await using home = await tempDir();
  const file = what === "a full device" ? "/dev/full" : home.file("pipe");
  if (file !== "/dev/full") Bun.spawnSync(["mkfifo", file]);
  const config = JSON.stringify({ audit: { file } });
  const run = await mcphost("call", "echo", "--config-json", config, ...server)
    .home(home.path)
    .run();
  expectRun(run, {
    stdout: "{}\n",
    stderr: new RegExp(
      `^mcphost: error: the audit file \\S+ cannot be written \\(.*${why}.*\\)\\n$`,
    ),
  });
});

test("an event in that file stands on a line of its own, whatever a full disk or a crash has left there", async () => {
  await using home = await tempDir();
  const file = home.file("events.jsonl");
  const config = JSON.stringify({ audit: { file } });
  const call = () =>
    mcphost("call", "echo", "x=1", "--config-json", config, ...server)
      .home(home.path)
      .run();
  for (const left of ['{"event":"prop', '{"event":"sent"}\n', ""]) {
    await writeFile(file, left);
    expectRun(await call(), { stdout: '{"x":"1"}\n' });
    const text = await readFile(file, "utf8");
    expect(text).toStartWith(left);
    const lines = text.slice(left.length).trimStart().trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).event)).toHaveLength(4);
    expect(text.slice(left.length).startsWith("\n")).toBe(left.endsWith("p"));
  }
});

test("a damaged store is kept aside, and the call goes on; one of a newer program is refused", async () => {
  await using home = await tempDir();
  await mkdir(home.file("state/mcphost"), { recursive: true });
  const file = home.file("state/mcphost/store.db");
  await writeFile(file, "no database at all, but as long as a header would have to be".repeat(9));
  const call = () =>
    mcphost("call", "echo", ...audited, ...server)
      .home(home.path)
      .run();
  expectRun(await call(), { stdout: "{}\n", stderr: /is damaged: it is kept as .*damaged-/ });
  const sql = new Bun.SQL({ adapter: "sqlite", filename: file });
  await sql`update mcphost_store set version = 99`;
  await sql.close();
  expectRun(await mcphost("log").home(home.path).run(), {
    code: 2,
    stderr: /made by a newer mcphost: it has version 99/,
  });
  expectRun(
    await mcphost("serve", "--port", "0", ...server)
      .home(home.path)
      .run(),
    {
      code: 2,
      stderr: /made by a newer mcphost/,
    },
  );
});

test.each([
  [undefined, ["proposed", "decided asked", "failed cancelled"]],
  [{ audit: false }, []],
])("a call that is killed while it waits for approval is given up, with %j", async (more, ends) => {
  await using home = await tempDir();
  const config = more === undefined ? [] : ["--config-json", JSON.stringify(more)];
  const words = ["--ask-tool", "echo", "--wait-approval", ...config, ...server];
  await using call = await mcphost("call", "echo", ...words)
    .home(home.path)
    .start();
  const waiting = async () => {
    const run = await mcphost("approvals", "--json").home(home.path).run();
    return JSON.parse(run.stdout).length === 1;
  };
  await waitFor(waiting, () => "it does not wait");
  call.kill("SIGKILL");
  await call.done;
  const events = await eventsIn(home);
  expect(shortOf(events)).toEqual(ends);
  expect(shortOf(await eventsIn(home))).toEqual(ends);
  if (more === undefined)
    expect(events.at(-1)).toMatchObject({
      tool: "echo",
      actor: "user",
      detail: { message: "the process that held it ended" },
    });
});
