/** Calls that are asked about, from another terminal: approved, rejected, expired and given up. */
import { expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { approvalsIn, asking, env, program, runs, waiting } from "./approvals-kit.ts";

setDefaultTimeout(60_000);

test("nobody there: refused at once, and no store is made for it", async () => {
  await using home = await tempDir();
  const run = await program(home, "call", "count", "by=1", ...env(home), ...asking).run();
  expectRun(run, { code: 5, stderr: /needs approval and nobody can be asked here/ });
  expect(await Bun.file(home.file("state/mcphost/store.db")).exists()).toBe(false);
  expect(await runs(home)).toEqual([]);
});

test("approved from another terminal, with other arguments that fit", async () => {
  await using home = await tempDir();
  await using call = await program(
    home,
    "call",
    "count",
    "by=1",
    "--wait-approval",
    ...env(home),
    ...asking,
  ).start();
  const id = await waiting(home);
  const short = id.slice(0, 8);
  expectRun(await program(home, "approvals", "show", short).run(), {
    stdout: /count of server "server"[^]*--ask-tool "count"[^]*\| +"by": 1/,
  });
  const approve = (...words: string[]) =>
    program(home, "approvals", "approve", short, ...words).run();
  expectRun(await approve("--args", "{"), { code: 2, stderr: /--args is no JSON/ });
  expectRun(await approve("--args", '{"by":"x"}'), {
    code: 2,
    stderr: /argument by: expected number/,
  });
  expectRun(await approve("--always", "never"), { code: 2, stderr: /--always never/ });
  expect((await approvalsIn(home))[0]!.state).toBe("pending");
  expectRun(await approve("--args", '{"by":5}'), { stdout: /^approved / });
  expectRun(await call.done, {
    stdout: "5\n",
    stderr: /waits for approval: mcphost approvals show/,
  });
  // Twice is once, and what is over cannot be rejected.
  expectRun(await approve(), { stdout: /^completed / });
  expectRun(await program(home, "approvals", "reject", short).run(), {
    code: 5,
    stderr: /is completed/,
  });
  expectRun(await program(home, "approvals", "acknowledge", id).run(), {
    code: 2,
    stderr: /count of server "server" is completed: only a call that is uncertain is acknowledged/,
  });
  expect(await runs(home)).toEqual(["5"]);
  expect(await approvalsIn(home)).toEqual([]);
  expect(await approvalsIn(home, "--all")).toMatchObject([{ id, state: "completed" }]);
});

test("rejected with a reason; expired; given up", async () => {
  await using home = await tempDir();
  const wait = (...words: string[]) =>
    program(
      home,
      "call",
      "count",
      "by=1",
      "--wait-approval",
      ...words,
      ...env(home),
      ...asking,
    ).start();
  {
    await using call = await wait();
    const id = await waiting(home);
    expectRun(await program(home, "approvals", "reject", id, "not", "today").run(), {
      stdout: /^rejected /,
    });
    expectRun(await call.done, { code: 5, stderr: /was rejected: not today/ });
  }
  {
    await using call = await wait("--config-json", '{"limits":{"approvalTimeoutMs":400}}');
    expectRun(await call.done, { code: 5, stderr: /nobody answered within 400 ms/ });
  }
  {
    await using call = await wait();
    await waiting(home);
    call.kill("SIGINT");
    expect((await call.done).code).toBe(130);
  }
  {
    await using call = await wait();
    await waiting(home);
    call.kill("SIGKILL");
    await call.done;
  }
  const states = (await approvalsIn(home, "--all")).map(({ state }) => state);
  expect(states.toSorted()).toEqual(["cancelled", "cancelled", "expired", "rejected"]);
  expect(await runs(home)).toEqual([]);
});

test.each([
  [
    ["approvals", "aprove", "x"],
    'approvals knows no "aprove"\n  did you mean approve? it knows list, ',
  ],
  [["grants", "revok", "x"], 'grants knows no "revok"\n'],
  [["grants", "list", "x"], 'grants knows no "x"\n'],
])("a word that nobody knows is named: %j", async (words, said) => {
  await using home = await tempDir();
  const { code, stderr } = await program(home, ...words).run();
  expect([code, stderr]).toEqual([2, expect.stringContaining(`mcphost: ${said}`)]);
});
