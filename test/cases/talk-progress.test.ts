/** Reported faults of what is told of a call that is under way: its progress, and the status of its task. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { call, entry, faulty, hostOver, linesOf, marksIn, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B065 progress that fits nothing", () => {
  test("is ignored, whatever its token and value, before, within and after a call", async () => {
    expectRun(await call("talk.odd-progress", "fault").run(), { stdout: "right\n" });
    await using host = await hostOver({ s: entry("talk.odd-progress") });
    const seen: number[] = [];
    for (let n = 0; n < 2; n += 1) {
      const outcome = await host.call({
        tool: "fault",
        onProgress: ({ progress }) => seen.push(progress),
      });
      expect(textOf(outcome)).toBe("right");
    }
    expect(textOf(await host.call({ tool: "echo", arguments: { message: "on" } }))).toBe("on");
    expect(host.servers()).toMatchObject([{ state: "ready" }]);
    expect(seen).toEqual([5, Number.MAX_VALUE, 5, Number.MAX_VALUE]);
    expect(host.logged.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
  });

  test("a token that came back as text is the token", async () => {
    await using host = await hostOver({ s: entry("talk.token-as-text") });
    const seen: number[] = [];
    const outcome = await host.call({
      tool: "fault",
      timeoutMs: 700,
      onProgress: ({ progress }) => seen.push(progress),
    });
    expect(textOf(outcome)).toBe("right");
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });
});

/** The outcome within an idle time that the whole call of a second is longer than, and what the server saw. */
async function timed(fault: string, timeoutMs = 700) {
  await using dir = await tempDir();
  const marks = dir.file("marks");
  await using host = await hostOver({
    s: entry(`talk.${fault}`, { env: { FIXTURE_MARKS: marks } }),
  });
  await host.tools();
  const started = performance.now();
  const outcome = await host.call({ tool: "fault", timeoutMs });
  const ms = performance.now() - started;
  if (outcome.status !== "completed")
    await waitFor(
      async () => (await linesOf(marks)).some((line) => line.startsWith("cancelled")),
      "the cancellation",
    );
  return { outcome, ms, marks: await linesOf(marks) };
}

describe.concurrent("B109 the time of a call and its progress", () => {
  test("each request carries a token, and progress renews the time", async () => {
    const { outcome, marks } = await timed("progress");
    expect(textOf(outcome)).toBe("right");
    expect(marks).toEqual([expect.stringMatching(/^token (number|string)$/)]);
  });

  test.each(["progress-silent", "progress-of-another"])(
    "%s: the time runs out, and that is cancelled",
    async (fault) => {
      const { outcome, ms, marks } = await timed(fault);
      expect(outcome).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
      expect(ms).toBeGreaterThan(600);
      expect(ms).toBeLessThan(1700);
      expect(marks.at(-1)).toBe("cancelled number");
    },
  );

  test("without end: a hard cap ends it", async () => {
    const { outcome, ms, marks } = await timed("progress-endless", 200);
    expect(outcome).toMatchObject({ status: "failed", error: { code: "timeout" } });
    expect(ms).toBeGreaterThan(1900);
    expect(ms).toBeLessThan(6000);
    expect(marks.at(-1)).toBe("cancelled number");
  });

  test("by the command line: exit 4 after the silence, and the result where there was progress", async () => {
    expectRun(await call("talk.progress", "fault", "--timeout", "700ms").run(), {
      stdout: "right\n",
    });
    const silent = await call("talk.progress-silent", "fault", "--timeout", "700ms").run();
    expectRun(silent, { code: 4, stderr: /700 ms/ });
    await nothingLeft(silent.marker, 20_000);
  });
});

describe.concurrent("a task with a status that nobody knows", () => {
  const warned = /^mcphost: warning: \[server\] task t has the status "queued"[^\n]*\n$/;

  test("goes on, which is said once, until it has one that is known", async () => {
    const server = faulty("talk.tasked", "queued,paused,working,queued,completed");
    const run = await mcphost("call", "fault", "--", ...server).run();
    expectRun(run, { stdout: "right\n", stderr: warned });
  });

  test("and stays so: the time-out ends it", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    const flags = ["--timeout", "50ms", ...marks.flags];
    const server = faulty("talk.tasked", "queued");
    const run = await mcphost("call", "fault", ...flags, "--", ...server).run();
    // The last question may have been under way.
    expectRun(run, {
      code: 4,
      stderr: /status "queued"[^]*(was not done|did not answer tasks.get) within/,
    });
    expect(await marks.has("cancelled")).toBeTrue();
  });
});
