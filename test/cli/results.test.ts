/** Results, errors and exit codes of `call`, and what of it is shown to whom. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { call, many, manyServer, marksIn } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("results and exit codes", () => {
  test("a flag may stand before the command, and a value may look like a command", async () => {
    await using dir = await tempDir();
    const run = await many("--save", "tools", "-q", "call", "image").cwd(dir.path).run();
    expectRun(run, {});
    expect(await Bun.file(dir.file("tools/image-1.png")).exists()).toBe(true);
  });

  test("isError", async () => {
    expectRun(await call("fail").run(), { code: 1, stderr: "it failed\n" });
    expectRun(await call("fail", "--json").run(), {
      code: 1,
      stdout: '{"content":[{"type":"text","text":"it failed"}],"isError":true}\n',
      stderr: /^\{"error":\{"code":"tool_error".*\}\n$/,
    });
  });

  test("an error of the server, in words and as JSON", async () => {
    expectRun(await call("refuse").run(), { code: 1, stderr: /-32000.*refused/ });
    const run = await call("refuse", "--json").run();
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "rpc_error",
      rpcCode: -32000,
      tool: "refuse",
    });
    expect(run.stdout).toBe("");
  });

  test("an unknown tool names the nearest and runs nothing", async () => {
    expectRun(await call("ecko", "message=x").run(), { code: 2, stderr: /ecko.*\n?.*echo/ });
    expectRun(await call("no_such_thing").run(), { code: 2, stderr: /no_such_thing/ });
  });

  test("a server that dies at start: its last words, and the variable that it lacks", async () => {
    const run = await call("echo", "message=x", "--env", "FIXTURE_DIES=1").run();
    expectRun(run, { code: 3, stderr: /^mcphost: .*server.*\n(.*\n){0,2}.*no DB_URL here\n/ });
    expect(run.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(4);
    const ours = await call("echo", "message=x", "--env", "FIXTURE_DIES=1")
      .env({ DB_URL: "x" })
      .run();
    expectRun(ours, { code: 3, stderr: /no DB_URL here\n.*--env DB_URL\n$/ });
  });

  test("a program that node does not find: the line that names the error", async () => {
    if (!Bun.which("node")) return console.warn("skipped: node is not installed");
    const run = await mcphost("call", "echo", "--", "node", "/no/such.js").run();
    expectRun(run, {
      code: 3,
      stderr: /^mcphost: .*\n {2}stderr: Error: Cannot find module '\/no\/such\.js'\n/,
    });
    expect(run.stderr).not.toContain("requireStack");
  });

  test("a command that is not there", async () => {
    const run = await mcphost("call", "echo", "--", "/no/such/command").run();
    expectRun(run, { code: 3, stderr: /\/no\/such\/command/ });
  });

  test("denied by a rule", async () => {
    expectRun(await call("echo", "message=x", "--deny-tool", "e*").run(), {
      code: 5,
      stderr: /--deny-tool "e\*"/,
    });
    expectRun(await call("echo", "message=x", "--deny-tool", "server.f*").run(), { stdout: "x\n" });
    expectRun(await call("echo", "message=x", "--ask-tool", "echo").run(), {
      code: 5,
      stderr: /--allow|-A/,
    });
  });

  test("--allow-tool and -A answer what rules and servers ask, and lift no denial", async () => {
    const [command = "", ...args] = manyServer;
    const config = JSON.stringify({
      mcpServers: { server: { command, args, approval: "always" } },
      policy: [
        { tools: "e*", do: "ask" },
        { tools: "echo", do: "allow" },
        { tools: "fail", do: "deny" },
      ],
    });
    const run = (...words: string[]) => mcphost("call", ...words, "--config-json", config).run();
    expectRun(await run("echo", "message=x"), { code: 5, stderr: /--allow-tool echo/ });
    for (const flags of [["--allow-tool", "server.e*"], ["-A"], ["-A", "--ask-tool", "*"]])
      expectRun(await run("echo", "message=x", ...flags), { stdout: "x\n" });
    for (const flags of [["--allow-tool", "*"], ["-A"]])
      expectRun(await run("fail", ...flags), { code: 5, stderr: /denied/ });
  });

  test("a silent tool: timeout, cancelled", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const run = await call("hang", "--timeout", "300ms", ...marks.flags).run();
    expectRun(run, { code: 4, stderr: /300 ms/ });
    await waitFor(marks.cancelled, "the cancellation");
    expectRun(await call("hang", "--max-time", "0.3").run(), { code: 4, stderr: /--max-time/ });
  });

  test("progress and logs as JSON lines", async () => {
    const run = await call("steps", "--json", "--events").run();
    expect(
      run.stderr
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).progress),
    ).toEqual([1, 2, 3]);
  });

  test("log notifications from warning on, and the server's stderr, are shown as asked", async () => {
    expectRun(await call("logs").run(), {
      stdout: "said\n",
      stderr: /^.*at warning\n.*at error\n$/,
    });
    expectRun(await call("logs", "-q").run(), { stdout: "said\n", stderr: /^.*at error\n$/ });
    expectRun(await call("logs", "--log-level=debug").run(), {
      stdout: "said\n",
      stderr: /at debug\n[^]*at info\n/,
    });
    expectRun(await call("logs", "--stderr").run(), { stdout: "said\n", stderr: /on stderr\n/ });
    expectRun(await call("logs", "--log-level", "loud").run(), { code: 2, stderr: /loud/ });
  });
});

describe.concurrent("what leaves us", () => {
  test("a known secret is in no output", async () => {
    const config = JSON.stringify({
      mcpServers: {
        s: {
          command: manyServer[0],
          args: manyServer.slice(1),
          env: { FIXTURE_SECRET: "s3cr3t-12345" },
        },
      },
    });
    for (const more of [[], ["--json"], ["--log-level", "debug"], ["--stderr"]]) {
      const run = await mcphost("call", "refuse", "--config-json", config, ...more).run();
      expect(run.code).toBe(1);
      expect(run.stdout + run.stderr).toMatch(/refused with \*\*\*/);
      expect(run.stdout + run.stderr).not.toContain("s3cr3t");
    }
  });

  test("the environment of a server is small, and widened by flags", async () => {
    const env = { OURS: "ours", HTTPS_PROXY: "http://proxy" };
    const plain = JSON.parse((await call("env").env(env).run()).stdout);
    expect(plain).toMatchObject({ HTTPS_PROXY: "http://proxy" });
    expect(plain).not.toHaveProperty("OURS");
    const given = await call("env", "--env", "OURS", "--env=K=V=W").env(env).run();
    expect(JSON.parse(given.stdout)).toMatchObject({ OURS: "ours", K: "V=W" });
    const all = await call("env", "--inherit-env").env(env).run();
    expect(JSON.parse(all.stdout)).toMatchObject({ OURS: "ours" });
  });

  test("control characters: exact in a pipe, visible on a terminal", async () => {
    expectRun(await call("control").run(), { stdout: "\u001b[2Jcleared\u0000\u202e\n" });
    await using screen = await call("control").terminal();
    await screen.shows(/\\u001b\[2Jcleared\\u0000\\u202e/);
    expect(await screen.exited).toBe(0);
  });

  test("a bar on a terminal, taken away at the end", async () => {
    await using screen = await call("steps").terminal();
    await screen.shows(/steps \[#+\.*\] \d+% step/);
    expect(await screen.exited).toBe(0);
    expect(screen.text()).toEndWith("\r\u001b[Kdone\r\n");
  });

  test("-o to a full device: the call was done, and exit 8 says so", async () => {
    expectRun(await call("echo", "message=x", "-o", "/dev/full").run(), {
      code: 8,
      stderr: /dev\/full/,
    });
  });
});
