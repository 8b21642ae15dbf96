/** `tee`: bytes pass exactly, the record is kept, and a file that takes nothing stops no byte. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";

import { expectRun, mcphost, sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft, waitFor } from "../processes.ts";
import { posix, teeing } from "./tee-kit.ts";

// The ladder that ends a stubborn child alone takes four seconds.
setDefaultTimeout(30_000);

/** The record without its times, which must all be there. */
function untimed(record: string): string {
  const lines = record.split("\n").slice(0, -1);
  expect(lines.filter((line) => !/^\d{10}\.\d{3} /.test(line))).toEqual([]);
  return lines.map((line) => line.slice(15)).join("\n");
}

describe.if(posix)("tee", () => {
  test("passes bytes exactly in both directions, and records whole lines", async () => {
    await using dir = await tempDir();
    await using tee = teeing(dir, "cat");
    const odd = new Uint8Array([0, 255, 254, 13, 10, 0xc3, 10, 10, 0xef, 0xbb, 0xbf, 123]);
    tee.proc.stdin.write('{"jsonrpc":"2.0"}\r\n');
    tee.proc.stdin.write(odd);
    await tee.proc.stdin.end();
    expect(await tee.proc.exited).toBe(0);
    const sent = Buffer.concat([Buffer.from('{"jsonrpc":"2.0"}\r\n'), odd]);
    expect(Buffer.from(await tee.stdout).equals(sent)).toBe(true);
    expect(await tee.stderr).toBe("");

    const record = Buffer.from(await Bun.file(dir.file("record")).bytes()).toString("latin1");
    const lines = record.split("\n");
    const of = (mark: string) =>
      lines.filter((line) => line.slice(15, 17) === mark).map((line) => line.slice(18));
    const expected = ['{"jsonrpc":"2.0"}\r', "\0\xff\xfe\r", "\xc3", "", "\xef\xbb\xbf{"];
    expect(of(">>")).toEqual(expected);
    expect(of("<<")).toEqual(expected);
  });

  test("passes 64 MB in lines of 16 MB unchanged", async () => {
    await using dir = await tempDir();
    await using tee = teeing(dir, "cat");
    const line = Buffer.alloc(16_000_000, "0123456789abcdef");
    line[line.length - 1] = 10;
    const hash = new Bun.CryptoHasher("sha256");
    const feed = async () => {
      for (let i = 0; i < 4; i++) {
        line[i] = 65;
        hash.update(line);
        tee.proc.stdin.write(line.slice());
        await tee.proc.stdin.flush();
      }
      await tee.proc.stdin.end();
    };
    const [, got] = await Promise.all([feed(), tee.stdout]);
    expect(await tee.proc.exited).toBe(0);
    expect(new Bun.CryptoHasher("sha256").update(got).digest("hex")).toBe(hash.digest("hex"));
    // Two directions, four lines each, 18 bytes in front of each.
    expect(Bun.file(dir.file("record")).size).toBe(8 * (16_000_000 + 18));
  }, 30_000);

  test("appends, flushes each line at once, and keeps the file to its owner", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("record"), "before\n");
    await using tee = teeing(dir, "cat");
    tee.proc.stdin.write("one\n");
    tee.proc.stdin.flush();
    await waitFor(async () => (await tee.record()).includes(" << one\n"));
    await tee.proc.stdin.end();
    await tee.proc.exited;
    const record = await tee.record();
    expect(record.startsWith("before\n")).toBe(true);
    expect(untimed(record.slice("before\n".length))).toBe(">> one\n<< one");

    await using fresh = await tempDir();
    await using second = teeing(fresh, "true");
    await second.proc.exited;
    expect((await stat(fresh.file("record"))).mode & 0o777).toBe(0o600);
  });

  test("gives the child our environment and folder, and passes its stderr through", async () => {
    await using dir = await tempDir();
    await using tee = teeing(dir, "sh", "-c", 'echo "$OWN $(pwd)"; echo "on stderr" >&2; exit 7');
    expect(await tee.proc.exited).toBe(7);
    expect(Buffer.from(await tee.stdout).toString()).toBe(`kept ${dir.path}\n`);
    expect(await tee.stderr).toBe("on stderr\n");
  });

  test("passes on although the file takes nothing", async () => {
    await using dir = await tempDir();
    const made = Bun.spawn(["mkfifo", dir.file("record")]);
    expect(await made.exited).toBe(0);
    await using tee = teeing(dir, "cat");
    tee.proc.stdin.write("through\n");
    await tee.proc.stdin.end();
    expect(Buffer.from(await tee.stdout).toString()).toBe("through\n");
    expect(await tee.proc.exited).toBe(0);
  });

  test("a full disk stops the record, not the bytes", async () => {
    if (!existsSync("/dev/full")) return console.warn("skipped: there is no /dev/full");
    const run = await mcphost(
      "tee",
      "/dev/full",
      "--",
      "sh",
      "-c",
      "echo a; sleep 1; echo b",
    ).run();
    expectRun(run, { stdout: "a\nb\n", stderr: /^mcphost: warning: \/dev\/full .*ENOSPC/ });
  });

  test("says what it needs, and what cannot be started or written", async () => {
    await using dir = await tempDir();
    const marker = dir.file("ran");
    for (const args of [[], ["file"], ["--", "touch", marker], ["a", "b", "--", "touch", marker]])
      expectRun(await mcphost("tee", ...args).run(), { code: 2, stderr: /tee needs one FILE/ });
    const unwritable = mcphost("tee", dir.file("no", "record"), "--", "touch", marker);
    expectRun(await unwritable.run(), { code: 8, stderr: /cannot write .*no\/record: .*ENOENT/ });
    const unknown = mcphost("tee", dir.file("record"), "--", "no-such-command-here");
    expectRun(await unknown.run(), {
      code: 3,
      stderr: /no-such-command-here" was not found on its PATH/,
    });
    expect(await Bun.file(marker).exists()).toBe(false);
  });

  test("works as the configured command of a host", async () => {
    await using dir = await tempDir();
    const server = new URL("../fixtures/servers/echo.ts", import.meta.url).pathname;
    const command = [...sourceProgram, "tee", dir.file("record"), "--", process.execPath, server];
    const run = await mcphost("call", "echo", "message=hi", "--", ...command).run();
    expectRun(run, { stdout: /hi/ });
    expect(await Bun.file(dir.file("record")).text()).toMatch(/>> \{.*"tools\/call".*\n.*<< \{/);
    await nothingLeft(run.marker);
  });
});
