import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { stat } from "node:fs/promises";

import { LineRecord, Lines } from "../../lib/cli/line-record.ts";
import { Pump } from "../../lib/cli/tee.ts";
import { expectRun, mcphost, sourceProgram, type TempDir, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";

// The ladder that ends a stubborn child alone takes four seconds.
setDefaultTimeout(30_000);

const posix = process.platform !== "win32";

/** `tee` in front of a command, with all its ends in our hands, as a host has them. */
function teeing(dir: TempDir, ...command: string[]) {
  const proc = Bun.spawn([...sourceProgram, "tee", "record", "--", ...command], {
    cwd: dir.path,
    env: { PATH: process.env["PATH"], HOME: dir.path, OWN: "kept" },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const stdout = new Response(proc.stdout).bytes();
  const stderr = new Response(proc.stderr).text();
  return {
    proc,
    stdout,
    stderr,
    record: () => Bun.file(dir.file("record")).text(),
    async [Symbol.asyncDispose]() {
      proc.kill("SIGKILL");
      await proc.exited;
      await nothingLeft(dir.path);
    },
  };
}

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

  test("exits as the child does: 128 and the number of the signal that ended it", async () => {
    await using dir = await tempDir();
    for (const [signal, code] of [
      ["KILL", 137],
      ["TERM", 143],
      ["HUP", 129],
    ] as const) {
      await using tee = teeing(dir, "sh", "-c", `kill -${signal} $$`);
      expect(await tee.proc.exited).toBe(code);
    }
  });

  test("passes signals on, and lets the child decide what they mean", async () => {
    await using dir = await tempDir();
    const script = 'trap "echo got; exit 9" SIG; echo ready; while :; do sleep 0.05; done';
    for (const signal of ["TERM", "INT", "HUP", "USR1", "QUIT"] as const) {
      await using tee = teeing(dir, "sh", "-c", script.replace("SIG", signal));
      await waitFor(async () => (await tee.record().catch(() => "")).endsWith("<< ready\n"));
      tee.proc.kill(`SIG${signal}`);
      expect(await tee.proc.exited).toBe(9);
      expect(Buffer.from(await tee.stdout).toString()).toBe("ready\ngot\n");
    }
  });

  test("hands on that our reader has left", async () => {
    await using dir = await tempDir();
    const program = sourceProgram.map((word) => `'${word}'`).join(" ");
    const shell = Bun.spawn(
      ["sh", "-c", `{ ${program} tee record -- yes; echo "code $?" >&2; } | head -n 1`],
      { cwd: dir.path, env: { PATH: process.env["PATH"], HOME: dir.path }, stderr: "pipe" },
    );
    expect(await new Response(shell.stdout).text()).toBe("y\n");
    expect(await new Response(shell.stderr).text()).toMatch(/code (1|141)\n$/);
    await nothingLeft(dir.path);
  });

  test("hands on that the child closed its stdout, and that it closed its stdin", async () => {
    await using dir = await tempDir();
    await using silent = teeing(dir, "sh", "-c", "echo last; exec >&-; cat >/dev/null; exit 3");
    // The end of stdout comes while the child lives.
    expect(Buffer.from(await silent.stdout).toString()).toBe("last\n");
    expect(silent.proc.exitCode).toBe(null);
    await silent.proc.stdin.end();
    expect(await silent.proc.exited).toBe(3);

    await using deaf = teeing(dir, "sh", "-c", "exec <&-; echo closed; exec sleep 30");
    await waitFor(async () => (await deaf.record()).includes("<< closed\n"));
    const write = async () => {
      deaf.proc.stdin.write("nobody reads this\n");
      await deaf.proc.stdin.flush();
    };
    let refused = false;
    await waitFor(async () => {
      await write().catch(() => (refused = true));
      return refused;
    });
    deaf.proc.kill("SIGTERM");
    expect(await deaf.proc.exited).toBe(143);
  });

  test("does not wait for somebody who keeps the pipe of a child that is gone", async () => {
    await using dir = await tempDir();
    await using tee = teeing(dir, "sh", "-c", "sleep 60 & echo done");
    expect(await tee.proc.exited).toBe(0);
    expect(Buffer.from(await tee.stdout).toString()).toBe("done\n");
    await nothingLeft(dir.path);
  });

  test("leaves no process behind when it is killed", async () => {
    await using dir = await tempDir();
    const stubborn = 'trap "" TERM; echo ready; while :; do sleep 0.1; done';
    await using tee = teeing(dir, "sh", "-c", stubborn);
    await waitFor(async () => (await tee.record().catch(() => "")).includes("ready"));
    expect((await liveProcesses(dir.path)).length).toBeGreaterThan(1);
    tee.proc.kill("SIGKILL");
    await tee.proc.exited;
    await nothingLeft(dir.path);
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

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

describe("the record", () => {
  test("cuts lines at LF only, however the chunks fall", () => {
    const whole = bytes("a\r\n\u2028b\n\nlast");
    for (const size of [1, 2, 3, 100]) {
      const got: string[] = [];
      const lines = new Lines((parts) => got.push(Buffer.concat(parts).toString()), 100);
      for (let at = 0; at < whole.length; at += size) lines.push(whole.slice(at, at + size));
      lines.end();
      expect(got).toEqual(["a\r", "\u2028b", "", "last"]);
    }
  });

  test("cuts a line at the bound and says by how much", () => {
    const got: unknown[] = [];
    const lines = new Lines((parts, cut) => got.push([Buffer.concat(parts).toString(), cut]), 4);
    for (const chunk of ["abc", "defg", "h\nxy\n"]) lines.push(bytes(chunk));
    expect(got).toEqual([
      ["abcd", 4],
      ["xy", 0],
    ]);
  });

  test("drops lines that the file is too slow for, and writes how many", async () => {
    await using dir = await tempDir();
    const { open } = await import("node:fs/promises");
    const gate = Promise.withResolvers<void>();
    const record = new LineRecord({
      open: async () => {
        await gate.promise;
        return await open(dir.file("record"), "a");
      },
      now: () => 1_700_000_000_123,
      failed: (error) => expect(error).toBeUndefined(),
      queueBytesMax: 52,
    });
    const tap = record.tap(">>");
    for (const line of ["first\n", "second\n", "third\n", "fourth\n"]) tap(bytes(line));
    gate.resolve();
    expect(await record.close(1000)).toBe(true);
    expect(await Bun.file(dir.file("record")).text()).toBe(
      "1700000000.123 >> first\n1700000000.123 >> second\n" +
        "1700000000.123 -- 2 lines not kept: the file was too slow\n",
    );
  });

  test("a large line on a slow disk is waited for; a file that takes nothing is not", async () => {
    for (const isSlow of [true, false]) {
      const took: number[] = [];
      const file = {
        async appendFile(block: Uint8Array) {
          await (isSlow ? Bun.sleep(100) : new Promise(() => {}));
          took.push(block.length);
        },
        async close() {},
      } as unknown as FileHandle;
      const record = new LineRecord({ open: async () => file, now: () => 0, failed() {} });
      record.tap(">>")(
        isSlow ? Buffer.concat([Buffer.alloc(64_000_000, "x"), bytes("\n")]) : bytes("a\n"),
      );
      expect(await record.close(20)).toBe(isSlow);
      expect(took).toHaveLength(isSlow ? 1 : 0);
    }
  });

  test("a pump whose source is kept open ends once nothing comes and nothing is being written", async () => {
    let control!: ReadableStreamDefaultController<Uint8Array>;
    const source = new ReadableStream<Uint8Array>({ start: (one) => void (control = one) });
    const slow = Promise.withResolvers<void>();
    const got: string[] = [];
    const pump = new Pump(
      source.getReader(),
      {
        async write(chunk) {
          await slow.promise;
          got.push(Buffer.from(chunk).toString());
          return true;
        },
        close: async () => void got.push("closed"),
      },
      () => {},
    );
    control.enqueue(bytes("one"));
    control.enqueue(bytes("two"));
    const quiet = pump.endWhenQuiet(5);
    await Bun.sleep(30);
    expect(got).toEqual([]);
    slow.resolve();
    await Promise.all([quiet, pump.done]);
    expect(got).toEqual(["one", "two", "closed"]);
  });
});
