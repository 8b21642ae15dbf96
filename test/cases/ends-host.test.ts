/** Reported faults of a host that is ended in the middle: nothing is left of its servers. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { fromSource, mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { faulty, marksIn } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("a host that is ended in the middle of a call to a stubborn server", () => {
  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGKILL", null],
  ] as const)("by %s leaves nothing", async (signal, code) => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    for (const wrapper of [
      [],
      ["sh", "-c", '"$@"; true', "sh"],
      ["sh", "-c", 'setsid "$@"; true', "sh"],
    ]) {
      // The bundle looks at SIGHUP a little later than its first call may be under way.
      await using running = await mcphost(
        "call",
        "hang",
        ...marks.flags,
        "--",
        ...wrapper,
        ...faulty("life.stubborn"),
      )
        .program(fromSource)
        .start();
      await waitFor(() => marks.has("hanging"), "the call to be under way");
      running.kill(signal);
      const run = await running.done;
      expect(run.code).toBe(code);
      await nothingLeft(run.marker, 20_000);
      await Bun.write(dir.file("marks"), "");
    }
  });

  test("while it starts one that is silent", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    for (const [at, signal] of (["SIGTERM", "SIGKILL"] as const).entries()) {
      await using running = await mcphost(
        "call",
        "x",
        "--env",
        `FIXTURE_STARTS=${marks.env.FIXTURE_STARTS}`,
        "--",
        ...faulty("life.slow-start", "60000"),
      ).start();
      // That it is seen among the processes would be too early: the reaper may not know of it yet.
      await waitFor(async () => (await marks.starts()).length > at, "the server to run");
      running.kill(signal);
      await nothingLeft((await running.done).marker, 20_000);
    }
  });
});
