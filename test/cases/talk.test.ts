/** Reported faults of handshakes, notifications, progress, and of servers that ask in the middle of a call. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import {
  call,
  entry,
  faulty,
  hostOver,
  linesOf,
  marksIn,
  messagesIn,
  textOf,
  tools,
} from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B025 what comes before the reply to initialize", () => {
  test("is taken in stride: the ping is answered, nothing is listed before the handshake ends", async () => {
    const run = await call("talk.early", "told").run();
    expectRun(run, { stdout: '{"answer":{},"lists":0}\n', stderr: /an early word/ });
    expectRun(await call("talk.early", "told", "--no-validate", "-q").run(), {
      stdout: '{"answer":{},"lists":0}\n',
      stderr: /^(?!.*warning)/,
    });
  });
});

describe.concurrent("B026 notifications/initialized", () => {
  test("comes before anything else of a legacy link", async () => {
    for (const words of [
      ["echo", "message=x"],
      ["echo", "message=x", "--no-validate"],
    ])
      expectRun(await call("talk.needs-initialized", ...words).run(), { stdout: "x\n" });
    expectRun(await tools("talk.needs-initialized").run(), { stdout: "echo(message: string)\n" });
  });

  test("is sent once to a legacy server, and never to a modern one", async () => {
    await using dir = await tempDir();
    const sent = async (fault: string, tool: string) => {
      const seen = dir.file(fault);
      await call(fault, tool, "--env", `FIXTURE_SEEN=${seen}`).run();
      return (await messagesIn(seen))
        .map(({ method }) => method)
        .filter((method) => method === "notifications/initialized");
    };
    expect(await sent("talk.needs-initialized", "echo")).toHaveLength(1);
    expect(await sent("talk.asks-input", "fault")).toHaveLength(0);
  });
});

describe.concurrent("O013 logs over the protocol in the moment of the greeting", () => {
  test("do not disturb it, are not shown by default, and keep their order where they are", async () => {
    expectRun(await call("talk.logs-at-greeting", "echo", "message=x").run(), { stdout: "x\n" });
    const verbose = await call(
      "talk.logs-at-greeting",
      "echo",
      "message=x",
      "--log-level",
      "info",
    ).run();
    const numbers = [...verbose.stderr.matchAll(/line (\d+)/g)].map(([, n]) => Number(n));
    expect(numbers).toEqual(Array.from({ length: 16 }, (_, n) => n));
    expect(verbose.stdout).toBe("x\n");
  });
});

describe.concurrent("B062 changes that are told too often", () => {
  test("a burst of 200 makes one to three lists, and the last tool is there", async () => {
    await using host = await hostOver({ s: entry("talk.storm") });
    await host.tools();
    expect(textOf(await host.call({ tool: "fault" }))).toBe("right");
    const names = (await host.tools()).tools.map(({ name }) => name);
    expect(names).toEqual(["echo", "fault", "asked", "grown"]);
    expect(textOf(await host.call({ tool: "grown" }))).toBe("grown");
    const asked = Number(textOf(await host.call({ tool: "asked" })));
    expect(asked).toBeGreaterThan(1);
    expect(asked).toBeLessThanOrEqual(4);
  });

  test("an endless trickle makes a list only where one is wanted, and blocks no call", async () => {
    await using host = await hostOver({ s: entry("talk.trickle") });
    const asked = async () => Number(textOf(await host.call({ tool: "asked" })));
    await asked();
    const before = await asked();
    // Three notices come and nobody wants a list: only the next call makes one.
    await Bun.sleep(1100);
    expect((await asked()) - before).toBeLessThanOrEqual(1);
    const calls = Array.from({ length: 50 }, () =>
      host.call({ tool: "echo", arguments: { message: "x" } }),
    );
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => "x"));
  });
});

describe.concurrent("B064 a change that was not declared, or told too early", () => {
  test("marks the list as stale all the same, and the tool is found as soon as it is there", async () => {
    await using dir = await tempDir();
    const marks = dir.file("marks");
    await using host = await hostOver({
      s: entry("talk.undeclared", { env: { FIXTURE_MARKS: marks } }),
    });
    await host.tools();
    await host.call({ tool: "fault" });
    await host.tools();
    expect(Number(textOf(await host.call({ tool: "asked" })))).toBeGreaterThanOrEqual(2);
    await waitFor(async () => (await linesOf(marks)).includes("grown"), "the tool");
    expect(textOf(await host.call({ tool: "grown" }))).toBe("grown");
  });

  test("an unknown name lists once more before it fails, without any notice", async () => {
    await using dir = await tempDir();
    const seen = dir.file("seen");
    await using host = await hostOver({
      s: entry("talk.grows-silently", { env: { FIXTURE_SEEN: seen } }),
    });
    await host.tools();
    await host.call({ tool: "fault" });
    expect(textOf(await host.call({ tool: "grown" }))).toBe("grown");
    const lists = async () =>
      (await messagesIn(seen)).filter(({ method }) => method === "tools/list").length;
    expect(await lists()).toBe(2);
    expect(await host.call({ tool: "nothing" })).toMatchObject({ error: { code: "usage" } });
    expect(await lists()).toBe(3);
  });
});

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

describe.concurrent("B061 a modern server that asks for input", () => {
  const elicitation = { action: "decline" };

  test("where nobody can answer, the call ends at once with the question", async () => {
    await using dir = await tempDir();
    const marks = dir.file("marks");
    const run = await call("talk.asks-input", "fault", "--env", `FIXTURE_MARKS=${marks}`).run();
    expectRun(run, { code: 1, stderr: /needs input.*Delete all\?/s });
    expect(run.ms).toBeLessThan(10_000);
    expect(await linesOf(marks)).toHaveLength(1);
  });

  test("where somebody can, one more request under a new id brings the state back untouched", async () => {
    await using dir = await tempDir();
    const marks = dir.file("marks");
    const server = entry("talk.asks-input", { env: { FIXTURE_MARKS: marks } });
    await using host = await hostOver(
      { s: server },
      { answers: { elicit: async () => elicitation } },
    );
    const state = 's"\\u0000 é';
    expect(JSON.parse(textOf(await host.call({ tool: "fault" })))).toEqual({
      state,
      answers: { ok: elicitation },
    });
    const [first, second] = (await linesOf(marks)).map((line) => JSON.parse(line));
    expect(second).toEqual({ id: expect.any(Number), state, answers: { ok: elicitation } });
    expect(second.id).not.toBe(first.id);
  });

  test("one that never comes to an end is given up after a bounded number of rounds", async () => {
    await using dir = await tempDir();
    const marks = dir.file("marks");
    const server = entry("talk.asks-for-ever", { env: { FIXTURE_MARKS: marks } });
    await using host = await hostOver(
      { s: server },
      { answers: { elicit: async () => elicitation } },
    );
    const outcome = await host.call({ tool: "fault" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "rpc_error" } });
    expect((await linesOf(marks)).length).toBeLessThanOrEqual(11);
  });

  test("-32021 is shown plainly", async () => {
    const run = await call("talk.needs-capability", "fault").run();
    expectRun(run, { code: 1, stderr: /-32021: Missing required client capability/ });
    const json = await call("talk.needs-capability", "fault", "--json").run();
    expect(JSON.parse(json.stderr).error).toMatchObject({
      rpcCode: -32021,
      rpcData: { requiredCapabilities: { elicitation: {} } },
    });
  });
});

describe.concurrent("B097 O025 a server that asks in the middle of a call", () => {
  test.each(["elicits", "samples", "roots"])(
    "%s: not declared, and answered at once with -32601",
    async (fault) => {
      const { stdout, code } = await call(`talk.${fault}`, "fault").run();
      expect({ code, told: JSON.parse(stdout) }).toEqual({
        code: 0,
        told: { declared: [], code: -32601, soon: true },
      });
    },
  );

  test("one that looks at what was declared takes its own way out, and that text arrives", async () => {
    expectRun(await call("talk.elicits-if-declared", "fault").run(), {
      stdout: "fallback: nobody to ask\n",
    });
    await using host = await hostOver(
      { s: entry("talk.elicits-if-declared") },
      { answers: { elicit: async () => ({ action: "cancel" }) } },
    );
    expect(textOf(await host.call({ tool: "fault" }))).toBe('asked: {"action":"cancel"}');
  });

  test("with an answerer it is declared and answered", async () => {
    const answers = { elicit: async () => ({ action: "decline" }) };
    await using host = await hostOver({ s: entry("talk.elicits") }, { answers });
    expect(JSON.parse(textOf(await host.call({ tool: "fault" })))).toEqual({
      declared: ["elicitation"],
      result: { action: "decline" },
      soon: true,
    });
  });

  test.each(["sampling/createMessage", "elicitation/create", "no/such"])(
    "O025 %s under the id of our own request: refused, and the tool's error reaches the caller in no time",
    async (method) => {
      const server = faulty("talk.fails-unasked", method);
      const run = await mcphost("call", "shell_execute", "--", ...server).run();
      expectRun(run, { code: 1, stderr: "no model: -32601\n" });
      expect(run.ms).toBeLessThan(10_000);
    },
  );
});
