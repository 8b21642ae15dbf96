/** Commands that start: how they are found, and what comes of their output until they end. */
import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { folder, Output, start, startFixture } from "./help.ts";

describe("what can", () => {
  test("is found on the server's own PATH, relative to its folder too, and gets its arguments as they are", async () => {
    await using dir = await folder();
    await writeFile(
      join(dir.path, "a server"),
      '#!/bin/sh\npwd; printf "%s|" "$@"; /usr/bin/env\n',
      {
        mode: 0o755,
      },
    );
    const args = ["two words", "", "*", "$HOME", 'quo"te', "back\\", "né"];
    for (const [command, path] of [
      ["a server", dir.path],
      ["./a server", ""],
      ["a server", "/nowhere:."],
    ]) {
      const { child } = start([command ?? "", ...args], {
        cwd: dir.path,
        env: { PATH: path ?? "", ONLY: "this" },
      });
      const text = await new Output(child).rest();
      expect(text).toStartWith(`${dir.path}\n${args.join("|")}|`);
      expect(text).toContain("ONLY=this\n");
      expect(text).not.toContain("HOME=");
      await child.stop();
    }
  });

  test("a server that fails at once shows code and last words, and its stdout ends (B077)", async () => {
    const { child, entries } = start([
      "sh",
      "-c",
      "echo API_KEY is required >&2; printf 'no newline' >&2; exit 7",
    ]);
    expect(await new Output(child).rest()).toBe("");
    expect(child.stderrTail()).toEqual(["API_KEY is required", "no newline"]);
    expect(await child.exited).toEqual({ exitCode: 7, signal: null });
    expect(entries.filter((entry) => entry.source === "stderr")).toEqual(
      ["API_KEY is required", "no newline"].map((text) => ({
        level: "debug",
        text,
        server: "it",
        source: "stderr",
      })),
    );
    await child.stop();
  });

  test("stdout ends shortly after the exit although a grandchild keeps the pipes, with all that was written", async () => {
    const { child } = start(["sh", "-c", 'sleep 60 & head -c 300000 /dev/zero; echo "bye"'], {
      stopMs: 100,
    });
    const text = await new Output(child).rest();
    expect(text.length).toBe(300_004);
    expect(text).toEndWith("bye\n");
    expect((await child.stop()).rung).toBe("term");
  });

  test("stdout ends although a grandchild goes on writing", async () => {
    const chatter = "(while :; do echo chatter; sleep 0.05; done) & echo bye";
    const { child } = start(["sh", "-c", chatter], { stopMs: 100 });
    expect(await new Output(child).rest()).toStartWith("bye\n");
    await child.stop();
  });

  test("a slow reader gets everything although the child is long gone", async () => {
    const { child } = start(["sh", "-c", "head -c 800000 /dev/zero & true"]);
    let bytes = 0;
    for await (const chunk of child.stdout) {
      bytes += chunk.length;
      await Bun.sleep(300); // longer than a silent pipe is waited for
    }
    expect(bytes).toBe(800_000);
    await child.stop();
  }, 30_000);

  test("stdout that nobody reads does not fill our memory, nor keep the child from being stopped", async () => {
    const { child } = start(["sh", "-c", "head -c 300000000 /dev/zero"], { stopMs: 100 });
    const before = process.memoryUsage.rss();
    await Bun.sleep(100);
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
    expect((await child.stop()).rung).toBe("term");
  });
});

test("10 MB of stderr, at the start and in a call, block nobody, and the tail is bounded", async () => {
  const { child, entries } = startFixture("noisy.ts", { stderrTailBytes: 1000 });
  const output = new Output(child);
  expect(await output.line()).toBe("ready");
  await child.write("hello");
  expect(await output.line()).toBe("hello");
  await child.stop();
  expect(entries.filter((entry) => entry.source === "stderr")).toHaveLength(200_000);
  expect(child.stderrTail()).toEqual(Array.from({ length: 10 }, () => "e".repeat(99)));
});
