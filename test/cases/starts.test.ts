/** Reported faults of starts that fail, servers that die, and what the next call then does. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";

import { expectRun, mcphost, sourceProgram, tempDir } from "../harness.ts";
import { living } from "../process/help.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, config, entry, faulty, hostOver, isAlive, marksIn, textOf, tools } from "./kit.ts";

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

describe.concurrent("B077 B019 a server that ends before it is greeted", () => {
  test.each<[fault: string, said: RegExp]>([
    ["exit-1", /exited with code 1 .*\n.*API_KEY is required/s],
    ["exit-0", /exited with code 0 .*\n.*API_KEY is required/s],
    ["exit-silently", /exited with code 1 .*\n.*said nothing on stderr/s],
    [
      "exit-on-initialize",
      /exited with code 7 before it answered initialize\n.*API_KEY is required/s,
    ],
    ["killed-at-start", /SIGKILL.*API_KEY is required/s],
    ["killed-on-initialize", /SIGSEGV.*API_KEY is required/s],
  ])("%s: soon, with how it ended and its last words", async (fault, said) => {
    for (const run of [
      await call(`life.${fault}`, "echo", "message=x").run(),
      await tools(`life.${fault}`).run(),
    ]) {
      expectRun(run, { code: 3, stderr: said });
      expect(run.stderr).toContain('server "server"');
      expect(run.ms).toBeLessThan(10_000);
    }
  });

  test("a launcher that leaves its server behind is told of as that, and both are ended", async () => {
    await using home = await tempDir();
    const server = ["sh", "-c", '"$@" <&3 & exit 0', "sh", ...faulty("plain.tells", home.path)];
    const launcher = ["sh", "-c", 'exec 3<&0; exec "$@"', "sh", ...server];
    const run = await mcphost("call", "echo", "message=x", "--", ...launcher).run();
    expectRun(run, { code: 3, stderr: /exited with code 0 .*\n.*goes on without it.*exec/s });
    await nothingLeft(home.path, 20_000);
  });

  test("as JSON the reason stands in facts", async () => {
    const run = await call("life.exit-1", "echo", "--json").run();
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "server_start",
      server: "server",
      exitCode: 1,
      stderr: ["API_KEY is required"],
    });
  });

  test("B019 each server has its own reason", async () => {
    const servers = {
      key: entry("life.exit-1"),
      gone: { command: "/no/such/server" },
      folder: { ...entry("life.pid"), cwd: "/no/such/folder" },
      unset: { ...entry("life.pid"), env: { TOKEN: "${NO_SUCH_TOKEN}" } },
      far: { url: "http://127.0.0.1:1/mcp" },
      good: entry("life.pid"),
    };
    const run = await mcphost("tools", "--json", ...config(servers)).run();
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stdout).every((tool: { server: string }) => tool.server === "good")).toBe(
      true,
    );
    const errors = run.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).error);
    const of = (server: string) => errors.find((error) => error.server === server);
    expect(errors).toHaveLength(5);
    expect(of("key")).toMatchObject({ code: "server_start", stderr: ["API_KEY is required"] });
    expect(of("gone").message).toContain("/no/such/server does not exist");
    expect(of("folder").message).toContain("/no/such/folder does not exist");
    expect(of("unset").message).toContain("NO_SUCH_TOKEN is not set");
    expect(of("far")).toMatchObject({ code: "server_start", errno: "ECONNREFUSED" });
  });
});

test("B022 more servers than there are descriptors: the errno of each that failed, and the tools of the others", async () => {
  const limited = ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", ...sourceProgram];
  const command = faulty("plain.tells").join(" ");
  const servers = Array.from({ length: 14 }, (_, n) => ["-s", `s${n}=${command}`]).flat();
  const run = await mcphost("tools", ...servers)
    .program(limited)
    .run();
  const failed =
    run.stderr.match(/server "s\d+" cannot be started: .* \(EMFILE\)\n {2}too many files .*\n/g) ??
    [];
  const listed = run.stdout.match(/^s\d+_echo\(/gm) ?? [];
  expect({ code: run.code, all: failed.length + listed.length }).toEqual({ code: 3, all: 14 });
  expect(Math.min(failed.length, listed.length)).toBeGreaterThan(0);
  expect(run.stderr.replaceAll("mcphost: ", "")).toBe(failed.join(""));
});

describe.concurrent("B080 O014 commands that are not found or may not run", () => {
  const minimal = { PATH: "/usr/bin:/bin" };

  test("a command elsewhere: command, PATH and server are named, and others start", async () => {
    const servers = { missing: { command: "mcphost-no-such-npx" }, good: entry("life.pid") };
    const run = await mcphost("tools", ...config(servers))
      .env(minimal)
      .run();
    expectRun(run, {
      code: 3,
      stdout: /^good_echo/,
      stderr: /"missing".*"mcphost-no-such-npx".*\/usr\/bin:\/bin/,
    });
  });

  test("PATH of the server's own env is where it is looked for, and nowhere else", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("npx-like"), `#!/bin/sh\nexec "$@"\n`);
    await chmod(dir.file("npx-like"), 0o755);
    const server = { command: "npx-like", args: faulty("life.pid") };
    const own = { ...server, env: { PATH: `${dir.path}:/usr/bin:/bin` } };
    expectRun(
      await mcphost("call", "echo", "message=x", ...config({ s: own }))
        .env(minimal)
        .run(),
      { stdout: "x\n" },
    );
    const other = { ...server, env: { PATH: "/nowhere" } };
    const run = await mcphost("call", "echo", "message=x", ...config({ s: other }))
      .env({ PATH: `${dir.path}:/usr/bin` })
      .run();
    expectRun(run, { code: 3, stderr: /"npx-like".*\(\/nowhere\)/ });
  });

  test("found, but the interpreter behind its env is not", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("npx-like"), "#!/usr/bin/env mcphost-no-such-node\n");
    await Bun.write(dir.file("direct"), "#!/mcphost/no/such/node\n");
    for (const name of ["npx-like", "direct"]) await chmod(dir.file(name), 0o755);
    const env = await mcphost("tools", ...config({ s: { command: dir.file("npx-like") } }))
      .env(minimal)
      .run();
    expectRun(env, { code: 3, stderr: /"s".*127.*mcphost-no-such-node/s });
    const direct = await mcphost("tools", ...config({ s: { command: dir.file("direct") } }))
      .env(minimal)
      .run();
    expectRun(direct, { code: 3, stderr: /interpreter that .*direct names is missing/ });
  });

  test("a folder that is not there is told apart from a command that is not", async () => {
    const [command, args] = ["sh", ["-c", "exit 0"]];
    const folder = await mcphost(
      "tools",
      ...config({ s: { command, args, cwd: "/no/such/folder" } }),
    ).run();
    expectRun(folder, { code: 3, stderr: /its folder \/no\/such\/folder does not exist/ });
    expect(folder.stderr).not.toContain("not found");
    const both = await mcphost("tools", ...config({ s: { command: "/no/such/x" } })).run();
    expectRun(both, { code: 3, stderr: /\/no\/such\/x does not exist/ });
  });

  test("O014 a file that may not be executed: permission denied, and the path", async () => {
    await using dir = await tempDir();
    await mkdir(dir.file("bin"));
    await Bun.write(dir.file("bin/server"), "\u007fELF");
    for (const command of [dir.file("bin/server"), "./bin/server", "server"]) {
      const run = await mcphost(
        "call",
        "echo",
        ...config({ s: { command, cwd: dir.path, env: { PATH: dir.file("bin") } } }),
      ).run();
      expectRun(run, { code: 3, stderr: /permission denied: .*bin\/server.*\n.*chmod \+x/ });
    }
    const folder = await mcphost("tools", "--", dir.path).run();
    expectRun(folder, { code: 3, stderr: /is a folder/ });
  });
});

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

describe.concurrent("B100 servers that can do one thing at a time", () => {
  test("with concurrency 1, ten calls at once wait their turn, and that time is not counted", async () => {
    await using host = await hostOver({ s: entry("life.serial", { concurrency: 1 }, "150") });
    await host.tools();
    const calls = Array.from({ length: 10 }, (_, n) =>
      host.call({ tool: "fault", arguments: { n }, timeoutMs: 750 }),
    );
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, n) => String(n)));
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  });

  test("a slow one is not taken for dead without it either: what runs out is told, and the next call works", async () => {
    await using host = await hostOver({ s: entry("life.serial", {}, "100") });
    await host.tools();
    const calls = Array.from({ length: 10 }, (_, n) =>
      host.call({ tool: "fault", arguments: { n }, timeoutMs: 450 }),
    );
    for (const outcome of await Promise.all(calls))
      expect(["completed", "failed"]).toContain(outcome.status);
    expect(textOf(await host.call({ tool: "fault", arguments: { n: 11 } }))).toBe("11");
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
  });

  test("exit 0 in the middle of calls is a crash for all that wait; with a limit it never happens", async () => {
    await using host = await hostOver({ s: entry("life.three-is-too-much") });
    await host.tools();
    const calls = Array.from({ length: 3 }, () => host.call({ tool: "fault" }));
    for (const outcome of await Promise.all(calls))
      expect(outcome).toMatchObject({ status: "uncertain", error: { facts: { exitCode: 0 } } });
    await using limited = await hostOver({
      s: entry("life.three-is-too-much", { concurrency: 2 }),
    });
    const more = Array.from({ length: 6 }, () => limited.call({ tool: "fault" }));
    expect((await Promise.all(more)).map(textOf)).toEqual(more.map(() => "right"));
  });
});
