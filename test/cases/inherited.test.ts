/** Reported faults of what a server inherits: no terminal, no stdin of ours, no pipe of another. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { call, entry, faulty, hostOver, marksIn } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("G008 G010 what a server inherits", () => {
  test("G008 it has no terminal, whether we have one or not", async () => {
    expectRun(await call("life.tty", "fault").run(), { stdout: /^no terminal: \w+\n$/ });
    await using screen = await call("life.tty", "fault").terminal();
    await screen.shows(/no terminal: \w+/);
    expect(await screen.exited).toBe(0);
  });

  test("G008 nor does it get what is typed or piped to us", async () => {
    const run = await mcphost(
      "call",
      "fault",
      "--",
      "sh",
      "-c",
      '"$@"',
      "sh",
      ...faulty("life.tty"),
    )
      .stdin("mine\n")
      .run();
    expectRun(run, { stdout: /^no terminal/ });
  });

  test("G010 the end of its stdin reaches a server although others run", async () => {
    await using dir = await tempDir();
    const marks = marksIn(dir);
    await using host = await hostOver({
      first: entry("life.eof", { env: marks.env, lifecycle: "per-call" }),
      second: entry("life.pid"),
    });
    await host.call({ tool: "second.pid" });
    await host.call({ tool: "first.pid" });
    const ended = Date.now();
    await waitFor(() => marks.has("eof"), "the end of its stdin");
    const [line = ""] = await marks.lines();
    expect(Number(line.split(" ")[1]) - ended).toBeLessThan(1000);
    expect(await marks.has("term")).toBe(false);
  });
});
