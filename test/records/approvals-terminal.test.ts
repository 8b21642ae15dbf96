/** Calls that are asked about at a terminal, and answered there or elsewhere. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { approvalsIn, asking, env, program, runs, waiting } from "./approvals-kit.ts";

setDefaultTimeout(60_000);

test("at a terminal: always, and from then on nobody is asked", async () => {
  await using home = await tempDir();
  const call = () => program(home, "call", "count", "by=1", ...env(home), ...asking);
  await using screen = await call().terminal();
  await screen.shows(/Always allow this tool/);
  // The last choice stands above the first.
  screen.type("\x1b[A");
  // oxlint-disable-next-line no-control-regex -- the color tells which is chosen
  await screen.shows(/\[32m●\x1b\[39m Always allow this tool/);
  screen.type("\r");
  expect(await screen.exited).toBe(0);
  expectRun(await call().run(), { stdout: "1\n" });
  expectRun(await program(home, "grants").run(), {
    stdout: /server\.count  since .* by terminal\n/,
  });
  expect(await approvalsIn(home, "--all")).toMatchObject([
    { state: "completed", decidedBy: "terminal" },
  ]);
});

test("a question at a terminal ends when it is answered elsewhere", async () => {
  await using home = await tempDir();
  const call = program(home, "call", "count", "by=1", ...env(home), ...asking);
  await using screen = await call.terminal();
  await screen.shows(/Allow once/);
  const id = await waiting(home);
  expectRun(await program(home, "approvals", "approve", id).run(), { stdout: /^approved/ });
  await screen.shows(/approved elsewhere \(by mcphost approvals\)\r\n1\r\n/);
  expect(await screen.exited).toBe(0);
  expect(await runs(home)).toEqual(["1"]);
});
