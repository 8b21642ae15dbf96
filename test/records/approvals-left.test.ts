/** Calls that wait when their `serve` ends: the next one takes them over, and each runs once. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, type TempDir, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import {
  approvalsIn,
  askAlways,
  keyOf,
  plain,
  post,
  program,
  type Row,
  runs,
  serving,
  stepServer,
  waiting,
} from "./approvals-kit.ts";

setDefaultTimeout(60_000);

test.each(["SIGTERM", "SIGKILL"] as const)(
  "what waits survives serve that ends by %s, and runs once",
  async (signal) => {
    await using home = await tempDir();
    let id: string;
    {
      await using serve = await serving(askAlways, home);
      const answer = post(serve.url, "/tools", { tool: "count", params: { by: 7 } }).catch(
        () => undefined,
      );
      id = await waiting(home);
      serve.kill(signal);
      await serve.exited;
      await answer;
    }
    expect(await approvalsIn(home)).toMatchObject([{ id, state: "pending" }]);
    await using again = await serving(askAlways, home);
    const key = await keyOf(again);
    await waitFor(
      async () => (await fetch(`${again.url}/calls/${id}`, { headers: key })).status === 200,
      () => "it is not taken over",
    );
    expect((await post(again.url, `/calls/${id}/approve`, {}, key)).status).toBe(200);
    await waitFor(
      async () => (await runs(home)).length > 0,
      () => "it does not run",
    );
    await waitFor(
      async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
      () => "it is not completed",
    );
    expect(await runs(home)).toEqual(["7"]);
  },
);

/** Leaves a call that waits, and whose serve has ended. */
async function leftWaiting(home: TempDir): Promise<string> {
  await using serve = await serving((at) => stepServer(at), home);
  const answer = post(serve.url, "/tools", { tool: "count", params: { by: 1 } }).catch(() => {});
  const id = await waiting(home);
  serve.kill("SIGTERM");
  await serve.exited;
  await answer;
  return id;
}

test("what waits and is always allowed by now runs once, however often serve is started", async () => {
  await using home = await tempDir();
  const id = await leftWaiting(home);
  const call = mcphost("call", "count", "by=2", "--wait-approval", ...stepServer(home))
    .home(home.path)
    .run();
  let rows: Row[] = [];
  await waitFor(
    async () => (rows = (await approvalsIn(home)).filter((row) => row.id !== id)).length === 1,
    () => JSON.stringify(rows),
  );
  await program(home, "approvals", "approve", rows[0]!.id, "--always", "tool").run();
  expectRun(await call, { code: 0, stdout: "2\n", stderr: /waits for approval/ });
  for (const _ of [1, 2]) {
    await using serve = await serving((at) => stepServer(at), home);
    await waitFor(
      async () => (await approvalsIn(home)).length === 0 && (await runs(home)).length === 2,
      () => "it does not run",
    );
    serve.kill("SIGTERM");
    await serve.exited;
  }
  expect(await runs(home)).toEqual(["2", "1"]);
});

test("what waits is still asked about where no rule asks any more, and is over where one forbids it", async () => {
  await using home = await tempDir();
  const id = await leftWaiting(home);
  {
    await using serve = await serving(plain, home);
    const key = await keyOf(serve);
    await waitFor(
      async () => (await fetch(`${serve.url}/calls/${id}`, { headers: key })).status === 200,
      () => "it is not taken over",
    );
    expect(await approvalsIn(home)).toMatchObject([{ id, state: "pending" }]);
    expect((await post(serve.url, `/calls/${id}/approve`, {}, key)).status).toBe(200);
    await waitFor(
      async () => (await approvalsIn(home, "--all"))[0]?.state === "completed",
      () => "it does not run",
    );
    expect(await runs(home)).toEqual(["1"]);
  }
  const other = await leftWaiting(home);
  await using _serve = await serving((at) => [...plain(at), "--deny-tool", "count"], home);
  const stateOf = async () =>
    (await approvalsIn(home, "--all")).find((row) => row.id === other)?.state;
  await waitFor(
    async () => (await stateOf()) === "cancelled",
    () => "it still waits",
  );
  expect(await runs(home)).toEqual(["1"]);
});
