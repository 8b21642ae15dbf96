/** Reported faults of handshakes, and of changes that are told too often, too early or not at all. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { call, entry, hostOver, linesOf, messagesIn, textOf, tools } from "./kit.ts";

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
