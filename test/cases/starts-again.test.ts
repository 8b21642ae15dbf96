/** Reported faults of servers that died: what the next call then does, and that one process is left of each. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { living } from "../process/help.ts";
import { waitFor } from "../processes.ts";
import { call, entry, hostOver, isAlive, marksIn, textOf } from "./kit.ts";

setDefaultTimeout(60_000);

/** How many of them are. */
async function countAlive(pids: number[]): Promise<number> {
  return (await living(...pids)).filter((pid) => pids.includes(pid)).length;
}

/** Children of ours that ended and that nobody has waited for. */
async function zombies(): Promise<string[]> {
  const ps = Bun.spawn(["ps", "-A", "-o", "ppid=,stat=,args="], { stdout: "pipe" });
  const rows = (await ps.stdout.text()).split("\n").map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([parent, stat]) => parent === String(process.pid) && stat?.startsWith("Z"))
    .map((row) => row.join(" "));
}

describe("B073 ended servers of a host that lives on", () => {
  test("leave no zombie, after 20 reconnects", async () => {
    await using host = await hostOver({ s: entry("life.one-call") });
    const pids = new Set<string>();
    for (let n = 0; n < 20; n += 1) {
      pids.add(textOf(await host.call({ tool: "pid" })));
      await waitFor(() => host.servers()[0]!.state !== "ready", "its end to be seen");
    }
    expect(pids.size).toBe(20);
    await waitFor(async () => (await zombies()).length === 0, "no zombies", 2000);
  });
});

describe.concurrent("B074 one process for each server at any time", () => {
  test("after its link was lost twice, the earlier ones are gone", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using host = await hostOver({
      a: entry("life.pid", { env: marks.env }),
      b: entry("life.pid", { env: marks.env }),
    });
    await host.tools();
    for (let n = 0; n < 2; n += 1) {
      const pid = Number(textOf(await host.call({ tool: "a.pid" })));
      process.kill(pid, "SIGKILL");
      await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
      await Promise.all(Array.from({ length: 5 }, () => host.call({ tool: "a.pid" })));
    }
    const started = (await marks.starts()).map(Number);
    expect(started).toHaveLength(4);
    await waitFor(async () => (await countAlive(started)) === 2, "two to live");
  });

  test("one that closed its stdout and lives on is stopped before the next one is used for long", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const server = entry("life.closes-stdout", { env: marks.env, stopMs: 200 });
    await using host = await hostOver({ s: server });
    for (let n = 0; n < 3; n += 1) await host.call({ tool: "fault" });
    const started = (await marks.starts()).map(Number);
    expect(started.length).toBeGreaterThan(1);
    await waitFor(async () => (await countAlive(started)) <= 1, "the earlier ones to end");
  });
});

describe.concurrent("B082 starts without end", () => {
  test("a server that greets, lists and is gone is started a handful of times, however many calls come", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using host = await hostOver({ s: entry("life.exit-after-list", { env: marks.env }) });
    const started = performance.now();
    let calls = 0;
    while (performance.now() - started < 4000) {
      // One may be answered before the server is gone: that is no fault.
      await host.call({ tool: "echo", arguments: { message: "x" }, timeoutMs: 20 });
      calls += 1;
      await Bun.sleep(5);
    }
    expect(calls).toBeGreaterThan(50);
    // Each call that was answered allows one more.
    expect((await marks.starts()).length).toBeLessThan(calls / 5);
  });

  test("one that is slow to start is started once, whoever gives up waiting meanwhile", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using host = await hostOver({ s: entry("life.slow-start", { env: marks.env }, "1500") });
    const impatient = Array.from({ length: 10 }, (_, n) =>
      host.call({ tool: "pid", signal: AbortSignal.timeout(50 + n * 30) }),
    );
    const patient = Array.from({ length: 10 }, () => host.call({ tool: "pid", timeoutMs: 500 }));
    for (const outcome of await Promise.all(impatient)) expect(outcome.status).toBe("cancelled");
    expect(new Set((await Promise.all(patient)).map(textOf)).size).toBe(1);
    expect(await marks.starts()).toHaveLength(1);
  });
});

describe.concurrent("B083 a server that was killed", () => {
  test("(a) idle: the next call starts it again", async () => {
    await using host = await hostOver({ s: entry("life.pid") });
    const first = Number(textOf(await host.call({ tool: "pid" })));
    process.kill(first, "SIGKILL");
    await waitFor(() => host.servers()[0]!.state === "failed", "its end to be seen");
    const second = Number(textOf(await host.call({ tool: "pid" })));
    expect(await isAlive(second)).toBe(true);
  });

  test("(a) idle, and called before anybody saw it: an answer, or an uncertain one at once, never a long wait", async () => {
    await using host = await hostOver({ s: entry("life.pid") });
    const first = Number(textOf(await host.call({ tool: "pid" })));
    process.kill(first, "SIGKILL");
    const started = performance.now();
    const outcome = await host.call({ tool: "pid" });
    expect(["completed", "uncertain", "failed"]).toContain(outcome.status);
    expect(performance.now() - started).toBeLessThan(10_000);
    await waitFor(
      async () => (await host.call({ tool: "pid" })).status === "completed",
      "it to be back",
    );
  });

  test("(b) in a call: that fails at once with the cause; the next one works", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using host = await hostOver({ s: entry("life.pid", { env: marks.env }) });
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    const pending = host.call({ tool: "hang" });
    await waitFor(() => marks.has("hanging"), "the call to be under way");
    const started = performance.now();
    process.kill(pid, "SIGKILL");
    expect(await pending).toMatchObject({
      status: "uncertain",
      error: { facts: { signal: "SIGKILL" } },
    });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(Number(textOf(await host.call({ tool: "pid" })))).not.toBe(pid);
  });

  test("(b) by the command line: exit 6, with the cause", async () => {
    expectRun(await call("life.pid", "kill").run(), { code: 6, stderr: /SIGKILL/ });
  });

  test("(c) after giving up, a later explicit call tries again", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const sound = dir.file("sound");
    await using host = await hostOver({ s: entry("life.starts-if", { env: marks.env }, sound) });
    const echo = () => host.call({ tool: "echo", arguments: { message: "back" } });
    for (let n = 0; n < 5; n += 1)
      expect(await echo()).toMatchObject({
        error: { code: "server_start", facts: { exitCode: 4 } },
      });
    await Bun.write(sound, "");
    expect(textOf(await echo())).toBe("back");
  });
});
