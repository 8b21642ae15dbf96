/** Readers that are slow or leave, full devices, and signals: how the program ends. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, fromSource, mcphost, root, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, manyServer, marksIn } from "./kit.ts";

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
      ...manyServer,
    ],
    { stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  );
const ends = async (proc: ReturnType<typeof shell>) => {
  const [stdout, stderr] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
  return { stdout, stderr };
};

setDefaultTimeout(30_000);

describe.concurrent("pipes", () => {
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
    const stderr = expect.stringMatching(/ENOSPC[^]*the call itself was done/);
    expect(await ends(proc)).toEqual({ stdout: "8\n", stderr });
  });

  test.each(["--help", "tools", "config"])(
    "where nothing was called, none is spoken of: %s",
    async (word) => {
      const { stdout, stderr } = await ends(shell('"$@" > /dev/full; echo $?', word));
      expect(stdout).toBe("8\n");
      expect(stderr).toContain("ENOSPC");
      expect(stderr).not.toContain("call");
    },
  );

  test("a gateway that cannot write to its client says so, exit 8", async () => {
    const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
    const script = `echo '${ping}' | "$@" > /dev/full; echo "\${PIPESTATUS[1]}"`;
    const { stdout, stderr } = await ends(shell(script, "gateway"));
    expect({ stdout, stderr }).toEqual({ stdout: "8\n", stderr: expect.stringMatching(/ENOSPC/) });
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
    // The bundle looks at SIGHUP a little later than its first call may be under way.
    await using running = await call("hang", ...marks.flags)
      .program(fromSource)
      .start();
    await waitFor(marks.hanging, "the call to be under way");
    running.kill(signal);
    const run = await running.done;
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: "" });
    expect(run.stderr).toContain(signal);
    await waitFor(marks.cancelled, "the cancellation");
    await nothingLeft(run.marker);
  });

  test.each([
    ["tools/call", ["call", "hang"]],
    ["tools/list", ["call", "hang"]],
    ["tools/list", ["tools"]],
    ["initialize", ["tools"]],
    ["initialize", ["servers", "--check"]],
    ["tools/list", ["doctor"]],
  ])("Ctrl-C on a terminal while nothing comes of %s: %p", async (method, words) => {
    await using dir = await tempDir();
    const file = dir.file("asked");
    const server = [...bunAlone, join(root, "test/fixtures/cli/deaf.ts"), method, file];
    await using screen = await mcphost(...words, "--", ...server).terminal();
    await waitFor(() => Bun.file(file).exists(), "the request");
    const pressed = performance.now();
    screen.type("\u0003");
    expect(await screen.exited).toBe(130);
    expect(performance.now() - pressed).toBeLessThan(1500);
    expect(screen.text()).toEndWith("mcphost: interrupted (SIGINT)\r\n");
    await nothingLeft(screen.marker);
  });

  test("Ctrl-Z and fg: an answer that came meanwhile came in time", async () => {
    // It answers after 2 s.
    const server = [...bunAlone, join(root, "test/fixtures/servers/faulty.ts"), "late"];
    await using running = await mcphost("call", "fault", "--timeout=4", "--", ...server).start();
    await Bun.sleep(1000);
    running.kill("SIGSTOP");
    await Bun.sleep(6000);
    running.kill("SIGCONT");
    expectRun(await running.done, { stdout: "late\n" });
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
