/** The kit itself: that it sees what was left running, and that its terminal is one. */
import { expect, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "./harness.ts";
import { liveProcesses, nothingLeft } from "./processes.ts";

const sh = ["sh", "-c"];

test("a process that was left running is found by the home of its run, and gone when it ends", async () => {
  await using dir = await tempDir();
  const run = await mcphost("sleep 60 >/dev/null 2>&1 & echo $!").program(sh).home(dir.path).run();
  const pid = Number(run.stdout);
  expect(await liveProcesses(run.marker)).toEqual([{ pid, command: "sleep 60" }]);
  await expect(nothingLeft(run.marker, 50)).rejects.toThrow("waited 50 ms");
  process.kill(pid);
  await nothingLeft(run.marker);
});

test("a run is compared as a whole", async () => {
  const run = await mcphost("cat; echo oh >&2; exit 3").program(sh).stdin("in").run();
  expectRun(run, { code: 3, stdout: "in", stderr: /^oh/ });
  expect(() => expectRun(run, { code: 3, stdout: "in" })).toThrow();
  expect(() => expectRun(run, { stdout: "in", stderr: "oh\n" })).toThrow();
});

test("a run that hangs is killed", async () => {
  const run = await mcphost("exec sleep 60").program(sh).timeoutMs(100).run();
  expectRun(run, { code: null });
});

test("a terminal is one, and takes what is typed", async () => {
  const program = mcphost('test -t 0 && test -t 2 && read -r word && echo "got $word"');
  await using screen = await program.program(sh).terminal();
  screen.type("hello\r");
  await screen.shows(/got hello/);
  expect(await screen.exited).toBe(0);
});
