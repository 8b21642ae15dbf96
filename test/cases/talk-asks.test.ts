/** Reported faults of servers that ask in the middle of a call. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { call, entry, faulty, hostOver, linesOf, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

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
