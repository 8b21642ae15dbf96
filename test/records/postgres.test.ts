/** Programs that share a Postgres: a call that waits in one is decided from another, and runs once. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { postgresOfFile } from "../store/postgres.ts";

setDefaultTimeout(60_000);

const shared = postgresOfFile();

const [command, ...rest] = bunAlone;

test("machines share approvals, grants and the log by one address, which is never shown", async () => {
  const postgres = shared();
  if (postgres === undefined) return;
  await using home = await tempDir();
  await using away = await tempDir();
  const url = await postgres.fresh();
  const server = {
    command,
    args: [...rest, join(root, "test/fixtures/records/counter.ts")],
    env: { RUNS: home.file("runs") },
  };
  const config = { store: "${PLACE}", audit: true, mcpServers: { one: server } };
  await writeFile(home.file("c.json"), JSON.stringify(config));
  const run = (folder: string, ...words: string[]) =>
    mcphost(...words, "-c", home.file("c.json"))
      .home(folder)
      .env({ PLACE: url });
  const call = await run(
    home.path,
    "call",
    "count",
    "by=4",
    "--ask-tool",
    "count",
    "--wait-approval",
  ).start();
  await using _call = call;
  let listed = "";
  await waitFor(
    async () => (listed = (await run(away.path, "approvals").run()).stdout) !== "",
    () => "it does not wait",
  );
  const id = /pending +([0-9a-f]{8})/.exec(listed)![1]!;
  expectRun(await run(away.path, "approvals", "approve", id, "--always", "tool").run(), {
    // It may be taken up, and done, before that is shown.
    stdout: /^(approved|running|completed) /,
  });
  expectRun(await call.done, { stdout: "4\n", stderr: /waits for approval/ });
  expectRun(await run(away.path, "call", "count", "by=5", "--ask-tool", "count").run(), {
    stdout: "5\n",
  });
  const log = await run(away.path, "log", "--event", "answered").run();
  expect(log.stdout.trim().split("\n")).toHaveLength(2);
  expect(await Bun.file(home.file("state/mcphost/store.db")).exists()).toBe(false);
  await postgres.stop();
  const down = await run(away.path, "log").run();
  expectRun(down, {
    code: 2,
    stderr: /the store postgres:\/\/localhost\/postgres cannot be reached/,
  });
  expect(down.stderr).not.toContain("search_path");
  // What need not be approved goes on, and is told to be in no log.
  const plain = await run(home.path, "call", "plain").run();
  expectRun(plain, { stdout: "plain\n", stderr: /no audit log: the store/ });
  const asked = await run(home.path, "call", "count", "by=1", "--ask-tool", "count").run();
  expectRun(asked, { code: 5, stderr: /needs approval, and cannot get it: the store/ });
  await postgres.start();
});
