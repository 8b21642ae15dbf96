/** Reported faults of ends of servers: what must not be left of one, and what may. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { call, entry, faulty, hostOver, isAlive, marksIn, textOf, tools } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B076 what a wrapper started", () => {
  const wrappers: Record<string, string> = {
    "a shell that waits": '"$@"; true',
    // It stays until the server has seen the end of its stdin.
    "a shell that left": 'exec 3<&0; "$@" <&3 & until [ -s "$FIXTURE_MARKS" ]; do sleep 0.05; done',
    "a session of its own": 'setsid "$@"; true',
  };

  test.each(Object.entries(wrappers))(
    "%s: gone after a call by the command line",
    async (_, script) => {
      const over = async (...flags: string[]) => {
        await using dir = await tempDir();
        const words = ["echo", "message=x", ...flags, ...marksIn(dir).flags];
        const server = ["sh", "-c", script, "sh", ...faulty("life.stubborn")];
        const run = await mcphost("call", ...words, "--", ...server).run();
        expectRun(run, { stdout: "x\n" });
        await nothingLeft(run.marker, 20_000);
      };
      await Promise.all([over(), over("--wait")]);
    },
  );

  test.each(Object.entries(wrappers))(
    "%s: gone when the host of the module is closed",
    async (_, script) => {
      await using dir = await tempDir();
      let pid = 0;
      {
        const args = ["-c", script, "sh", ...faulty("life.stubborn")];
        const { env } = marksIn(dir);
        await using host = await hostOver({ s: { command: "sh", args, stopMs: 500, env } });
        pid = Number(textOf(await host.call({ tool: "pid" })));
        expect(await isAlive(pid)).toBe(true);
      }
      expect(await isAlive(pid)).toBe(false);
    },
  );

  test("a child of the server in a session of its own", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const run = await call("life.stray-child", "pid", ...marks.flags).run();
    expect(await isAlive(Number(run.stdout))).toBe(true);
    await nothingLeft(run.marker, 20_000);
  });
});

describe.concurrent("B079 a server that spins when its pipes are gone", () => {
  test("behind a wrapper: nothing is left running", async () => {
    const server = ["sh", "-c", '"$@"; true', "sh", ...faulty("life.spins")];
    const run = await mcphost("call", "echo", "message=x", "--", ...server).run();
    expectRun(run, { stdout: "x\n" });
    await nothingLeft(run.marker, 20_000);
  });
});

describe.concurrent("O016 O019 servers that will not end", () => {
  test("O016 one that ignores EOF and SIGTERM delays nobody and is gone in the end", async () => {
    const [run, listed] = await Promise.all([
      call("life.stubborn", "echo", "message=x").run(),
      tools("life.stubborn").run(),
    ]);
    expectRun(run, { stdout: "x\n" });
    expect(listed.code).toBe(0);
    await Promise.all([run, listed].map(({ marker }) => nothingLeft(marker, 20_000)));
  });

  test("O016 --wait waits for it, no longer than its rungs, and the exit status is the call's", async () => {
    const run = await call("life.stubborn", "echo", "message=x", "--wait").run();
    expectRun(run, { stdout: "x\n" });
    expect(run.ms).toBeLessThan(15_000);
    expect(await liveProcesses(run.marker)).toEqual([]);
  });

  test("O019 one that needs 1.5 s for its end gets them", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const run = await mcphost(
      "call",
      "echo",
      "message=x",
      "--wait",
      ...marks.flags,
      "--",
      ...faulty("life.slow-end", "1500"),
    ).run();
    expectRun(run, { stdout: "x\n" });
    expect(await marks.lines()).toEqual(["done"]);
  });

  test("O019 and one that needs more is given it by stopMs", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    {
      await using host = await hostOver({
        s: entry("life.slow-end", { env: marks.env, stopMs: 8000 }, "2500"),
      });
      await host.tools();
    }
    expect(await marks.lines()).toEqual(["done"]);
  });

  test.each([[], ["--wait"]])(
    "O019 a family of nine that no word ends is gone in the end %p",
    async (...flags) => {
      const run = await call("life.family", "echo", "message=x", ...flags).run();
      expectRun(run, { stdout: "x\n" });
      await nothingLeft(run.marker, 20_000);
    },
  );
});

describe.concurrent("O017 a helper that outlives its server on purpose", () => {
  test.each(["daemon-free", "daemon-holds"])(
    "%s: we end without it, and a second run finds it",
    async (fault) => {
      await using dir = await tempDir();
      const file = dir.file("pid");
      const server = faulty(`life.${fault}`, file);
      let pid = 0;
      try {
        for (const flags of [[], ["--wait"]]) {
          const run = await mcphost("call", "fault", ...flags, "--", ...server).run();
          pid = Number(await Bun.file(file).text());
          expectRun(run, { stdout: `${flags.length === 0 ? "started" : "again"} ${pid}\n` });
          expect(run.ms).toBeLessThan(15_000);
          // The server itself is gone, by its own will; what it left in a session of its own is left alone.
          await waitFor(
            async () => (await liveProcesses(server.at(-2)!)).every((one) => one.pid === pid),
            "the server to end",
          );
          expect(await isAlive(pid)).toBe(true);
        }
      } finally {
        process.kill(pid, "SIGKILL");
      }
    },
  );
});
