/** What is always allowed: how far that goes, how it is taken back, and a tool that is another one since. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import { expectRun, tempDir } from "../harness.ts";
import { asking, env, program, waiting } from "./approvals-kit.ts";

setDefaultTimeout(60_000);

test("always: for the tool, with these arguments, of the server, in time; a changed tool is asked about anew", async () => {
  await using home = await tempDir();
  const call = (by: string, ...words: string[]) =>
    program(home, "call", "count", `by=${by}`, ...words, ...env(home), ...asking);
  const allow = async (by: string, ...words: string[]) => {
    await using running = await call(by, "--wait-approval").start();
    const id = await waiting(home);
    expectRun(await program(home, "approvals", "approve", id, ...words).run(), {
      stdout: /^approved/,
    });
    expect((await running.done).code).toBe(0);
  };
  const policy = (...words: string[]) =>
    program(home, "tools", "count", "--policy", ...words, ...env(home), ...asking).run();
  expectRun(await policy(), { stdout: 'ask    count  by --ask-tool "count"\n' });
  await allow("1", "--always", "arguments");
  expectRun(await policy(), {
    stdout: /^ask +count +by --ask-tool "count" +or allow with \{"by":1\}, by grant \w{8}\n$/,
  });
  expectRun(await call("1").run(), { stdout: "1\n" });
  expectRun(await call("2").run(), { code: 5, stderr: /needs approval/ });
  await allow("2", "--always", "tool", "--for", "1h");
  expectRun(await policy(), { stdout: /^allow +count +by grant \w{8}\n$/ });
  expectRun(await policy("--env", "OTHER=1"), { stdout: 'ask    count  by --ask-tool "count"\n' });
  expectRun(await call("3").run(), { stdout: "3\n" });
  // A display name or a time-out makes no other server; a command line, an environment and a definition do.
  expectRun(await call("3", "--timeout", "50").run(), { stdout: "3\n" });
  expectRun(await call("3", "--env", "OTHER=1").run(), { code: 5, stderr: /needs approval/ });
  const changed = ["--env", "DESCRIBED=anew"];
  expect((await call("3", ...changed).run()).code).toBe(5);
  const list = await program(home, "grants").run();
  expectRun(list, {
    stdout: /server\.count  with \{"by":1\}  since .*\n|server\.count  since .*  until /,
  });
  expect(list.stdout.trim().split("\n")).toHaveLength(2);
  const [id] = list.stdout.split(" ");
  expectRun(await program(home, "grants", "revoke", id!).run(), { stdout: `revoked ${id}\n` });
  expectRun(await program(home, "grants", "revoke", id!).run(), {
    code: 2,
    stderr: /no id begins/,
  });
  expectRun(await program(home, "grants", "revoke", "--all").run(), { stdout: /^revoked .*\n$/ });
  expectRun(await call("1").run(), { code: 5, stderr: /needs approval/ });
});

test("a tool that was changed since it was always allowed is asked about, with the difference", async () => {
  await using home = await tempDir();
  await writeFile(home.file("words"), "Counts");
  const call = (...words: string[]) =>
    program(
      home,
      "call",
      "count",
      "by=1",
      ...words,
      "--env",
      `WORDS=${home.file("words")}`,
      ...env(home),
      ...asking,
    );
  {
    await using first = await call("--wait-approval").start();
    const id = await waiting(home);
    await program(home, "approvals", "approve", id, "--always", "tool").run();
    expect((await first.done).code).toBe(0);
  }
  expectRun(await call().run(), { stdout: "1\n" });
  await writeFile(home.file("words"), "Deletes everything");
  await using second = await call("--wait-approval").start();
  const id = await waiting(home);
  expectRun(await program(home, "approvals", "show", id).run(), {
    stdout: /is another tool since then: description was "Counts" and is "Deletes everything"/,
  });
  expectRun(await program(home, "approvals", "reject", id).run(), { stdout: /^rejected/ });
  expect((await second.done).code).toBe(5);
});
