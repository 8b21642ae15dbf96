/** What `--log-level debug` tells of a call: each step of ours, and when it was. */
import { expect, test } from "bun:test";

import { debug, silent } from "../../lib/base/log.ts";
import { mcphost, tempDir } from "../harness.ts";
import { manyServer } from "./kit.ts";

const [command = "", ...args] = manyServer;

test("every step of a call, in order, with times and without secrets", async () => {
  await using dir = await tempDir();
  const server = { command, args: [...args, "--token", "${TOKEN}"] };
  await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: { many: server } }));
  const line = ["call", "big", "bytes=3", "-c", "c.json", "--log-level", "debug"];
  const run = await mcphost(...line)
    .cwd(dir.path)
    .env({ TOKEN: "s3cret-token-value" })
    .run();
  expect([run.code, run.stdout]).toEqual([0, "xxx\n"]);
  const steps = run.stderr.trim().split("\n");
  for (const step of steps) expect(step).toMatch(/^mcphost: debug: \+\d+ ms /);
  const texts = steps.map((step) => step.replace(/^.*? ms (\[many\] )?/, ""));
  const wanted = [
    `config read: ${dir.file("c.json")} (named)`,
    /^started: pid \d+, \[.*many\.ts","--token","\*\*\*"\]/,
    /^server\/discover with 2026-07-28 is sent$/,
    /^legacy: ./,
    /^initialize with 2025-11-25 is sent$/,
    /^greeted: legacy 2025-11-25, .+@.+, after \d+ ms$/,
    /^tools listed: \d+ after \d+ ms$/,
    "tools/call of big is sent",
    /^tools\/call of big is answered after \d+ ms$/,
    /^left to the reaper: pid \d+$/,
  ];
  expect(texts).toEqual(
    wanted.map((text) => (typeof text === "string" ? text : expect.stringMatching(text))),
  );
});

test("one whose era is known, and that is waited for", async () => {
  const line = ["call", "big", "bytes=3", "--wait", "--protocol", "2025-06-18"];
  const run = await mcphost(...line, "--log-level", "debug", "--", ...manyServer).run();
  expect([run.code, run.stdout]).toEqual([0, "xxx\n"]);
  expect(run.stderr).not.toContain("server/discover");
  expect(run.stderr).toMatch(/initialize with 2025-06-18 is sent\n/);
  expect(run.stderr).toMatch(/stopped: pid \d+, eof after \d+ ms\n$/);
});

test("nothing of it is shown without that, nor its text made", async () => {
  const run = await mcphost(
    "call",
    "big",
    "bytes=3",
    "--log-level",
    "info",
    "--",
    ...manyServer,
  ).run();
  expect([run.stdout, run.stderr]).toEqual(["xxx\n", ""]);
  debug(silent, "s", () => {
    throw new Error("made");
  });
});
