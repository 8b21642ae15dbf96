/** Reported faults of answers that come too late, and of servers that cannot take a cancellation. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, entry, hostOver, linesOf, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

/** A host over a server that notes in a file what it was told. */
const marking = (fault: string, marks: string) =>
  hostOver({ s: entry(`ids.${fault}`, { env: { FIXTURE_MARKS: marks } }) });

describe.concurrent("B056 an answer that comes after its time", () => {
  test.each(["late", "late-error", "late-null", "late-twice"])(
    "%s: dropped, and the call that waits meanwhile gets its own",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      await host.tools();
      const slow = await host.call({ tool: "slow", arguments: { ms: 600 }, timeoutMs: 200 });
      expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
      const second = host.call({ tool: "fast", arguments: { ms: 1000 } });
      await waitFor(async () => (await linesOf(marks)).includes("answered"), "the late answer");
      expect(textOf(await second)).toBe("fast");
      expect(textOf(await host.call({ tool: "fast" }))).toBe("fast");
      expect(host.servers()).toMatchObject([{ state: "ready" }]);
      expect(host.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
    },
  );
});

describe.concurrent("B058 servers that cannot take a cancellation", () => {
  test.each(["dies-of-cancel", "crashes-of-cancel"])(
    "%s: the next call starts it again",
    async (fault) => {
      await using dir = await tempDir();
      const starts = dir.file("starts");
      await using host = await hostOver({
        s: entry(`ids.${fault}`, { env: { FIXTURE_STARTS: starts } }),
      });
      const slow = await host.call({ tool: "hang", timeoutMs: 200 });
      expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
      await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
      expect(textOf(await host.call({ tool: "echo", arguments: { message: "back" } }))).toBe(
        "back",
      );
      expect(await linesOf(starts)).toHaveLength(2);
    },
  );

  test.each(["dies-of-cancel", "crashes-of-cancel"])(
    "%s: a call that waits beside it says that the server is gone",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      const other = host.call({ tool: "hang" });
      await waitFor(async () => (await linesOf(marks)).length === 1, "the first call");
      await host.call({ tool: "hang", timeoutMs: 100 });
      expect(await other).toMatchObject({ status: "uncertain" });
    },
  );

  test.each(["null-to-cancel", "none-to-cancel", "id-to-cancel", "stack-to-cancel"])(
    "%s: ignored, also by the call that waits meanwhile",
    async (fault) => {
      await using dir = await tempDir();
      const marks = dir.file("marks");
      await using host = await marking(fault, marks);
      await host.tools();
      await host.call({ tool: "hang", timeoutMs: 100 });
      await waitFor(async () => (await linesOf(marks)).includes("cancelled"), "the cancellation");
      const second = await host.call({ tool: "hang", timeoutMs: 300 });
      expect(second).toMatchObject({ status: "failed", error: { code: "timeout" } });
      expect(textOf(await host.call({ tool: "echo", arguments: { message: "on" } }))).toBe("on");
      expect(host.servers()).toMatchObject([{ state: "ready" }]);
    },
  );

  test.each(["dies-of-cancel", "null-to-cancel", "stack-to-cancel"])(
    "%s by the command line",
    async (fault) => {
      const run = await call(`ids.${fault}`, "hang", "--timeout", "300ms").run();
      expectRun(run, { code: 4, stderr: /did not answer/ });
      await nothingLeft(run.marker, 20_000);
    },
  );
});
