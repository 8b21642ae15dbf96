/** A hostile home: a cache folder that many share or that is full, and a device as a file. */
import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { hostile } from "./kit.ts";

test("20 calls at once share one cache folder", async () => {
  await using home = await tempDir();
  const runs = await Promise.all(
    Array.from({ length: 20 }, () =>
      mcphost("call", "t", "--", ...hostile("plain"))
        .home(home.path)
        .run(),
    ),
  );
  for (const run of runs) expectRun(run, { stdout: "ok\n" });
  expect(await readdir(home.file("cache", "mcphost", "eras"))).toHaveLength(1);
});

test("${file:/dev/zero} of one server is refused, and the other server is listed", async () => {
  await using home = await tempDir();
  const [command = "", ...args] = hostile("plain");
  const z = { command, args: ["${file:/dev/zero}"] };
  await Bun.write(home.file("c.json"), JSON.stringify({ mcpServers: { h: { command, args }, z } }));
  const run = await mcphost("tools", "-c", home.file("c.json")).run();
  expect(run.stdout).toContain("h_t(");
  expect(run.stderr).toContain("/dev/zero cannot be read: it is a device");
  await nothingLeft(run.marker);
});

test("a call that learned something leaves no more than 500 verdicts", async () => {
  await using home = await tempDir();
  const eras = home.file("cache", "mcphost", "eras");
  await mkdir(eras, { recursive: true });
  for (let n = 0; n < 510; n += 1)
    await Bun.write(join(eras, n.toString(16).padStart(32, "0")), "{}");
  // A plain call looks through the folder one time in 64; the flag makes it a call of the host's, which always does.
  const run = await mcphost("call", "t", "--no-user-config", "--", ...hostile("plain"))
    .home(home.path)
    .run();
  expectRun(run, { stdout: "ok\n" });
  expect(await readdir(eras)).toHaveLength(500);
});
