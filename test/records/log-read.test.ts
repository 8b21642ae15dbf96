/** The audit log as people read it: filtered, followed, and where there is nothing. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir, writeFile } from "node:fs/promises";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { audited, eventsIn, server } from "./log-kit.ts";

setDefaultTimeout(30_000);

test("the log is filtered, and read by people", async () => {
  await using home = await tempDir();
  for (const x of ["1", "2"])
    await mcphost("call", "echo", `x=${x}`, ...audited, ...server)
      .home(home.path)
      .run();
  await mcphost("call", "echo", "--deny-tool", "echo", ...audited, ...server)
    .home(home.path)
    .run();
  expect(await eventsIn(home, "--outcome", "denied")).toHaveLength(1);
  expect(await eventsIn(home, "--event", "answered", "--tool", "server.e*")).toHaveLength(2);
  expect(await eventsIn(home, "--tool", "wait")).toHaveLength(0);
  expect(await eventsIn(home, "--since", "1h", "--actor", "user")).toHaveLength(10);
  expect(await eventsIn(home, "--until", "2020-01-01")).toHaveLength(0);
  const [first] = await eventsIn(home);
  expect(await eventsIn(home, "--call", first!.call.slice(0, 8))).toHaveLength(4);
  const log = (...words: string[]) =>
    mcphost("log", ...words)
      .home(home.path)
      .run();
  expectRun(await log("-n", "1"), {
    stdout:
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  decided   [0-9a-f]{8}  server\.echo  user  denied, \d+ ms, echo of .*\n$/,
  });
  for (const [flag, value] of [
    ["--since", "soon"],
    ["-n", "0"],
    ["-n", "x"],
  ] as const)
    expectRun(await log(flag, value), { code: 2, stderr: new RegExp(`mcphost: --.*${value}`) });
  expectRun(await log("all"), { code: 2, stderr: /log takes no "all"/ });
  for (const [flag, value, near] of [
    ["--outcome", "deny", /denied/],
    ["--event", "answer", /answered/],
    ["--actor", "usr", /user/],
    ["--actor", "somebody", /user, script, model, gateway/],
  ] as const)
    expectRun(await log(flag, value), {
      code: 2,
      stderr: new RegExp(`${flag} ${value}.*\n.*${near.source}`),
    });
});

test("where there is nothing, it is said what is written down", async () => {
  await using home = await tempDir();
  const log = (...words: string[]) =>
    mcphost("log", ...words)
      .home(home.path)
      .run();
  expectRun(await log(), {
    stderr: /^mcphost: there are no such events\n {2}.*one-shot calls .*"audit": true/,
  });
  await writeFile(home.file("audited.json"), '{"audit":true,"mcpServers":{}}');
  expectRun(await log("-c", home.file("audited.json")), {
    stderr: "mcphost: there are no such events\n",
  });
  expectRun(await log("--json"), { stdout: "" });
  expectRun(await log("--help"), {
    stdout: /of one-shot calls those that are\s+asked\s+about, with\s+"audit": true/,
  });
});

test("who only looks makes no store", async () => {
  await using home = await tempDir();
  const none = { grants: "grants", approvals: "calls that wait", log: "such events" };
  for (const [command, what] of Object.entries(none)) {
    const run = await mcphost(command).home(home.path).run();
    expectRun(run, { stderr: new RegExp(`^mcphost: there are no ${what}\\n`) });
  }
  for (const command of ["grants", "approvals"])
    expectRun(await mcphost(command, "--json").home(home.path).run(), { stdout: "[]\n" });
  expect(await readdir(home.path)).not.toContain("state");
});

test("-f goes on with what happens", async () => {
  await using home = await tempDir();
  const follow = await mcphost("log", "-f", "--json", "--event", "sent").home(home.path).start();
  await using _following = follow;
  // It must be there before the call is made: nothing before counts.
  await waitFor(
    () => Bun.file(home.file("state/mcphost/store.db")).exists(),
    () => "no store",
  );
  for (let calls = 0; calls < 2; calls += 1)
    await mcphost("call", "echo", ...audited, ...server)
      .home(home.path)
      .run();
  follow.kill("SIGINT");
  const run = await Promise.race([follow.done, Bun.sleep(10_000)]);
  expect(run?.stdout.trim().split("\n").length).toBeGreaterThanOrEqual(1);
});
