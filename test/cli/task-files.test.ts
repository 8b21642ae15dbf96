/** The files that tasks are kept in. */
import { expect, test } from "bun:test";
import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import { type KeptTask, taskStore } from "../../lib/cli/task-store.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { taskServers } from "./task-kit.ts";

const { flagOf, begin } = taskServers();

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
