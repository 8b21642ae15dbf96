/** `call` as people and scripts use it, by the real program against a server that behaves well. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";

const server = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];
const many = (...words: string[]) => mcphost(...words, "--", ...server);
const call = (...words: string[]) => many("call", ...words);

describe.concurrent("arguments", () => {
  test.each<[words: string[], sent: string]>([
    [[], "{}"],
    [["pin=000123"], '{"pin":"000123"}'],
    [["pin=12345678901234567890"], '{"pin":"12345678901234567890"}'],
    [["pin=true"], '{"pin":"true"}'],
    [["pin={x"], '{"pin":"{x"}'],
    [["pin="], '{"pin":""}'],
    [["pin=@@user"], '{"pin":"@user"}'],
    [["n=12345678901234567890"], '{"n":12345678901234567890}'],
    [["n=-5"], '{"n":-5}'],
    [["flag=false"], '{"flag":false}'],
    [["list=[1,2]"], '{"list":[1,2]}'],
    [['target={"a":{"b":1}}'], '{"target":{"a":{"b":1}}}'],
    [['{"n":12345678901234567890}'], '{"n":12345678901234567890}'],
    [["--args", '{"n":1,"pin":"x"}', "n=2"], '{"n":2,"pin":"x"}'],
    [["n=1", "n=2"], '{"n":2}'],
    [["--json=false", "-q", "pin=x"], '{"pin":"x"}'],
  ])("%p", async (words, sent) => {
    expectRun(await call("args", ...words).run(), { stdout: `${sent}\n` });
  });

  test("files and stdin, and a stdin that is only read when it is named", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("t"), "two\nlines\n");
    const file = await call("args", "pin=@t").cwd(dir.path).run();
    expectRun(file, { stdout: '{"pin":"two\\nlines\\n"}\n' });
    expectRun(await call("args", "pin=@-").stdin("in\n").run(), { stdout: '{"pin":"in\\n"}\n' });
    expectRun(await call("args", "-").stdin('{"n":1}').run(), { stdout: '{"n":1}\n' });
    const loop = `printf 'a\\nb\\nc\\n' | while read x; do "$@" "pin=$x" -- ${server.map((w) => `'${w}'`).join(" ")}; done`;
    const sh = Bun.spawn([
      "sh",
      "-c",
      loop,
      "sh",
      ...bunAlone,
      join(root, "mcphost.ts"),
      "call",
      "args",
    ]);
    expect(await sh.stdout.text()).toBe('{"pin":"a"}\n{"pin":"b"}\n{"pin":"c"}\n');
  });

  test.each<[words: string[], stderr: RegExp]>([
    [["n=abc"], /argument n: expected integer, got "abc"/],
    [["flag=yes"], /argument flag: expected boolean/],
    [["color=blue"], /color.*"red"/],
    [["wrong=1"], /wrong/],
    [["hi"], /"hi" is not an argument/],
    [["n:={"], /not JSON/],
    [["pin=@missing-file"], /missing-file/],
  ])("%p is refused before it is sent", async (words, stderr) => {
    expectRun(await call("args", ...words).run(), { code: 2, stderr });
  });

  test("a missing required argument is refused, and --no-validate sends all the same", async () => {
    expectRun(await call("need").run(), { code: 2, stderr: /\bn\b/ });
    expectRun(await call("need", "--no-validate").run(), { stdout: "{}\n" });
    expectRun(await call("need", "n=1", "--no-validate").run(), { stdout: '{"n":"1"}\n' });
  });
});

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
    const run = await call("echo", "message=x", "--env", "FIXTURE_LAST_WORDS=no DB_URL here").run();
    expectRun(run, { code: 3, stderr: /^mcphost: .*server.*\n(.*\n){0,2}.*no DB_URL here\n/ });
    expect(run.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(4);
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
    expectRun(await call("echo", "message=x", "--ask-tool", "echo", "-A").run(), { stdout: "x\n" });
  });

  test("a silent tool: timeout, cancelled", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const run = await call("hang", "--timeout", "300ms", ...marks.flags).run();
    expectRun(run, { code: 4, stderr: /hang/ });
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
        s: { command: server[0], args: server.slice(1), env: { FIXTURE_SECRET: "s3cr3t-12345" } },
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
    expect(screen.text()).toMatch(/\r\u001b\[K[^\r]*done\r\n$/);
  });

  test("-o to a full device: the call was done, and exit 8 says so", async () => {
    expectRun(await call("echo", "message=x", "-o", "/dev/full").run(), {
      code: 8,
      stderr: /dev\/full/,
    });
  });
});

describe.concurrent("pipes", () => {
  const shell = (script: string, ...words: string[]) =>
    Bun.spawn(
      [
        "bash",
        "-c",
        script,
        "bash",
        ...bunAlone,
        join(root, "mcphost.ts"),
        ...words,
        "--",
        ...server,
      ],
      { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    );
  const ends = async (proc: ReturnType<typeof shell>) => {
    const [stdout, stderr] = await Promise.all([
      proc.stdout.text(),
      proc.stderr.text(),
      proc.exited,
    ]);
    return { stdout, stderr };
  };

  test("every byte reaches a reader that sleeps first", async () => {
    const proc = shell('"$@" | (sleep 1; wc -c)', "call", "big", "bytes=5000000");
    expect(await ends(proc)).toEqual({
      stdout: expect.stringMatching(/^\s*5000001\n$/),
      stderr: "",
    });
  });

  test("a reader that leaves early is quiet, exit 0", async () => {
    const proc = shell(
      '"$@" | head -c 10; echo " ${PIPESTATUS[0]}"',
      "call",
      "big",
      "bytes=5000000",
    );
    expect(await ends(proc)).toEqual({ stdout: "xxxxxxxxxx 0\n", stderr: "" });
  });

  test("a full device is an output error, exit 8", async () => {
    const proc = shell('"$@" > /dev/full; echo $?', "call", "echo", "message=x");
    expect(await ends(proc)).toEqual({ stdout: "8\n", stderr: expect.stringContaining("ENOSPC") });
  });

  test("a reader of stderr that never reads stops nothing", async () => {
    const proc = shell(
      '"$@" 2> >(sleep 3) > /dev/null; echo $?',
      "call",
      "echo",
      "message=x",
      "--stderr",
    );
    expect((await ends(proc)).stdout).toBe("0\n");
  });
});

describe.concurrent("signals", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s cancels the call and leaves nothing: exit %d", async (signal, code) => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using running = await call("hang", ...marks.flags).start();
    await waitFor(marks.hanging, "the call to be under way");
    running.kill(signal);
    const run = await running.done;
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: "" });
    expect(run.stderr).toContain(signal);
    await waitFor(marks.cancelled, "the cancellation");
    await nothingLeft(run.marker);
  });

  test("a SIGHUP that was ignored at the start stays ignored", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const program = ["nohup", ...bunAlone, join(root, "mcphost.ts")];
    await using running = await call("hang", ...marks.flags)
      .program(program)
      .start();
    await waitFor(marks.hanging, "the call to be under way");
    running.kill("SIGHUP");
    running.kill("SIGTERM");
    expect((await running.done).code).toBe(143);
  });
});

// --- internal ---

/** Files that the fixture makes when its tool hangs, and when it is told that the call was cancelled. */
function marksIn(dir: { file(name: string): string }) {
  const [hanging, cancelled] = [dir.file("hanging"), dir.file("cancelled")];
  return {
    flags: ["--env", `FIXTURE_HANGING=${hanging}`, "--env", `FIXTURE_CANCELLED=${cancelled}`],
    hanging: () => Bun.file(hanging).exists(),
    cancelled: () => Bun.file(cancelled).exists(),
  };
}
