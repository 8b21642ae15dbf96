/** A `serve` that is killed at each step of a call: what is uncertain, what was not sent, what is still run. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import {
  approvalsIn,
  keyOf,
  plain,
  post,
  program,
  runs,
  serving,
  stepServer,
  waiting,
} from "./approvals-kit.ts";

setDefaultTimeout(60_000);

test("one that nobody was asked about is uncertain, too: what to do with it is said", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => plain(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: -1 } }).catch(
      () => undefined,
    );
    await waitFor(
      async () => (await runs(home)).length === 1,
      () => "it does not run",
    );
    serve.kill("SIGKILL");
    await answer;
  }
  const [line = ""] = (await program(home, "approvals").run()).stdout.split("\n");
  const [, short = ""] = /^uncertain (\w{8}) /.exec(line) ?? [];
  for (const verb of ["show", "approve", "reject"])
    expectRun(await program(home, "approvals", verb, short).run(), {
      code: 2,
      stderr: new RegExp(`can only be acknowledged\\n.*mcphost approvals acknowledge ${short} `),
    });
  expectRun(await program(home, "approvals", "acknowledge", short).run(), {
    stdout: /^acknowledged /,
  });
  expect(await approvalsIn(home)).toEqual([]);
});

test("killed after it was sent: uncertain, told, never repeated, acknowledged once", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => stepServer(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: -1 } }).catch(
      () => undefined,
    );
    const id = await waiting(home);
    await program(home, "approvals", "approve", id).run();
    // It has run, and never answers.
    await waitFor(
      async () => (await runs(home)).length === 1,
      () => "it does not run",
    );
    serve.kill("SIGKILL");
    await answer;
  }
  await using again = await serving((at) => stepServer(at), home);
  const rows = await approvalsIn(home, "--all");
  expect(rows).toMatchObject([{ state: "uncertain", tool: "count" }]);
  const { id } = rows[0]!;
  expectRun(await program(home, "approvals").run(), { stdout: /^uncertain / });
  expectRun(await program(home, "approvals", "approve", id).run(), {
    code: 5,
    stderr: /is uncertain: .*\n {2}.*; find out whether it was done before you call it again\n$/,
  });
  const key = await keyOf(again);
  const acknowledged = await post(again.url, `/calls/${id}/acknowledge`, { reason: "seen" }, key);
  expect(acknowledged.status).toBe(200);
  expectRun(await program(home, "approvals", "acknowledge", id).run(), {
    code: 2,
    stderr: /count of server "one" is failed \(acknowledged: seen\): only a call that is uncertain/,
  });
  expectRun(await program(home, "approvals", "acknowledge", "nosuch").run(), {
    code: 2,
    stderr: /no id begins with "nosuch"/,
  });
  expect(await approvalsIn(home, "--all")).toMatchObject([
    { state: "failed", reason: "acknowledged: seen" },
  ]);
  expect(await runs(home)).toEqual(["-1"]);
});

test("killed before it was sent: told as not sent, and not run by anybody", async () => {
  await using home = await tempDir();
  {
    await using serve = await serving((at) => stepServer(at, { concurrency: 1 }), home);
    const call = (tool: string) =>
      post(serve.url, "/tools", { tool, params: { by: 1 } }).catch(() => undefined);
    const answer = call("count");
    const id = await waiting(home);
    // Its server is busy from now on: the call waits for its turn.
    const silent = call("silent");
    const sent = () => program(home, "log", "--event", "sent", "--tool", "silent").run();
    await waitFor(
      async () => (await sent()).stdout !== "",
      () => "it is not busy",
    );
    await program(home, "approvals", "approve", id).run();
    await waitFor(
      async () => (await approvalsIn(home))[0]?.state === "running",
      () => "it is not taken",
    );
    serve.kill("SIGKILL");
    await Promise.all([answer, silent]);
  }
  await using _again = await serving((at) => stepServer(at), home);
  const rows = (await approvalsIn(home, "--all")).filter(({ tool }) => tool === "count");
  expect(rows).toMatchObject([
    { state: "failed", reason: expect.stringContaining("before it was sent: it did not happen") },
  ]);
  // The other was sent, and nobody asked about it: that is uncertain.
  expectRun(await program(home, "approvals").run(), { stdout: /^uncertain .*one\.silent\n$/ });
  expect(await runs(home)).toEqual([]);
});

test("killed with an approval that nobody took up: the next serve runs it, once", async () => {
  await using home = await tempDir();
  let id: string;
  {
    await using serve = await serving((at) => stepServer(at), home);
    const answer = post(serve.url, "/tools", { tool: "count", params: { by: 3 } }).catch(
      () => undefined,
    );
    id = await waiting(home);
    serve.kill("SIGSTOP");
    await program(home, "approvals", "approve", id).run();
    serve.kill("SIGKILL");
    await answer;
  }
  expect(await approvalsIn(home)).toMatchObject([{ id, state: "approved" }]);
  await using _again = await serving((at) => stepServer(at), home);
  await waitFor(
    async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
    () => "it is not run",
  );
  expect(await runs(home)).toEqual(["3"]);
});
