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
    const wrappers = [
      [],
      ["sh", "-c", '"$@"; true', "sh"],
      ["sh", "-c", 'setsid "$@"; true', "sh"],
    ];
    const over = async (wrapper: string[]) => {
      await using dir = await tempDir();
      const marks = marksIn(dir);
      const server = [...wrapper, ...faulty("life.stubborn")];
      // The bundle looks at SIGHUP a little later than its first call may be under way.
      await using running = await mcphost("call", "hang", ...marks.flags, "--", ...server)
        .program(fromSource)
        .start();
      await waitFor(() => marks.has("hanging"), "the call to be under way");
      running.kill(signal);
      const run = await running.done;
      expect(run.code).toBe(code);
      await nothingLeft(run.marker, 20_000);
    };
    await Promise.all(wrappers.map(over));
  });

  test.each(["SIGTERM", "SIGKILL"] as const)(
    "by %s while it starts one that is silent",
    async (signal) => {
      await using dir = await tempDir();
      const marks = marksIn(dir);
      const flags = ["--env", `FIXTURE_STARTS=${marks.env.FIXTURE_STARTS}`];
      const server = faulty("life.slow-start", "60000");
      await using running = await mcphost("call", "x", ...flags, "--", ...server).start();
      // That it is seen among the processes would be too early: the reaper may not know of it yet.
      await waitFor(async () => (await marks.starts()).length > 0, "the server to run");
      running.kill(signal);
      await nothingLeft((await running.done).marker, 20_000);
    },
  );
});
