/** How `tee` ends: with its child, by signals, and when somebody leaves. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { sourceProgram, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { posix, teeing } from "./tee-kit.ts";

// The ladder that ends a stubborn child alone takes four seconds.
setDefaultTimeout(30_000);

describe.if(posix)("tee", () => {
  test("exits as the child does: 128 and the number of the signal that ended it", async () => {
    await using dir = await tempDir();
    for (const [signal, code] of [
      ["KILL", 137],
      ["TERM", 143],
      ["HUP", 129],
    ] as const) {
      await using tee = teeing(dir, "sh", "-c", `kill -${signal} $$`);
      expect(await tee.proc.exited).toBe(code);
    }
  });

  test("passes signals on, and lets the child decide what they mean", async () => {
    await using dir = await tempDir();
    const script = 'trap "echo got; exit 9" SIG; echo ready; while :; do sleep 0.05; done';
    for (const signal of ["TERM", "INT", "HUP", "USR1", "QUIT"] as const) {
      await using tee = teeing(dir, "sh", "-c", script.replace("SIG", signal));
      await waitFor(async () => (await tee.record().catch(() => "")).endsWith("<< ready\n"));
      tee.proc.kill(`SIG${signal}`);
      expect(await tee.proc.exited).toBe(9);
      expect(Buffer.from(await tee.stdout).toString()).toBe("ready\ngot\n");
    }
  });

  test("hands on that our reader has left", async () => {
    await using dir = await tempDir();
    const program = sourceProgram.map((word) => `'${word}'`).join(" ");
    const shell = Bun.spawn(
      ["sh", "-c", `{ ${program} tee record -- yes; echo "code $?" >&2; } | head -n 1`],
      { cwd: dir.path, env: { PATH: process.env["PATH"], HOME: dir.path }, stderr: "pipe" },
    );
    expect(await new Response(shell.stdout).text()).toBe("y\n");
    expect(await new Response(shell.stderr).text()).toMatch(/code (1|141)\n$/);
    await nothingLeft(dir.path);
  });

  test("hands on that the child closed its stdout, and that it closed its stdin", async () => {
    await using dir = await tempDir();
    await using silent = teeing(dir, "sh", "-c", "echo last; exec >&-; cat >/dev/null; exit 3");
    // The end of stdout comes while the child lives.
    expect(Buffer.from(await silent.stdout).toString()).toBe("last\n");
    expect(silent.proc.exitCode).toBe(null);
    await silent.proc.stdin.end();
    expect(await silent.proc.exited).toBe(3);

    await using deaf = teeing(dir, "sh", "-c", "exec <&-; echo closed; exec sleep 30");
    await waitFor(async () => (await deaf.record()).includes("<< closed\n"));
    const write = async () => {
      deaf.proc.stdin.write("nobody reads this\n");
      await deaf.proc.stdin.flush();
    };
    let refused = false;
    await waitFor(async () => {
      await write().catch(() => (refused = true));
      return refused;
    });
    deaf.proc.kill("SIGTERM");
    expect(await deaf.proc.exited).toBe(143);
  });

  test("does not wait for somebody who keeps the pipe of a child that is gone", async () => {
    await using dir = await tempDir();
    await using tee = teeing(dir, "sh", "-c", "sleep 60 & echo done");
    expect(await tee.proc.exited).toBe(0);
    expect(Buffer.from(await tee.stdout).toString()).toBe("done\n");
    await nothingLeft(dir.path);
  });

  test("leaves no process behind when it is killed", async () => {
    await using dir = await tempDir();
    const stubborn = 'trap "" TERM; echo ready; while :; do sleep 0.1; done';
    await using tee = teeing(dir, "sh", "-c", stubborn);
    await waitFor(async () => (await tee.record().catch(() => "")).includes("ready"));
    expect((await liveProcesses(dir.path)).length).toBeGreaterThan(1);
    tee.proc.kill("SIGKILL");
    await tee.proc.exited;
    await nothingLeft(dir.path);
  });
});
