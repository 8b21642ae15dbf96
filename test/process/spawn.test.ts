import { describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { isHostError } from "../../lib/base/errors.ts";
import { Output, start, startFixture, until } from "./help.ts";

async function folder() {
  const path = await mkdtemp(join(tmpdir(), "mcphost-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Starts what cannot start, and gives the error. */
function refusal(command: string[], more: Parameters<typeof start>[1] = {}) {
  try {
    start(command, { name: "broken", ...more });
  } catch (error) {
    if (isHostError(error)) return error;
    throw error;
  }
  throw new Error("it started");
}

describe("what cannot be started says why", () => {
  test("a command that is not on the server's own PATH: command, PATH and server (B080)", () => {
    const error = refusal(["sh"], { env: { PATH: "/nowhere:/else" } });
    expect(error.code).toBe("server_start");
    expect(error.message).toBe(
      'server "broken" cannot be started: the command "sh" was not found on its PATH (/nowhere:/else)',
    );
    expect(error.facts).toMatchObject({
      server: "broken",
      command: "sh",
      path: "/nowhere:/else",
      errno: "ENOENT",
    });
    expect(error.hint).toBeString();
  });

  test("a path that is not there", () => {
    const error = refusal(["/nowhere/server"]);
    expect(error.message).toContain("/nowhere/server does not exist");
    expect(error.facts.errno).toBe("ENOENT");
  });

  test("a whole command line in the place of a command", () => {
    for (const command of ["bun server.ts", "/nowhere/bun  server.ts"])
      expect(refusal([command]).hint).toContain("drop the quotes");
    for (const command of ["", " ", "sh"])
      expect(refusal([command], { env: { PATH: "/nowhere" } }).hint).not.toContain("quotes");
  });

  test("a folder to run in that is not there is told apart from a command that is not", async () => {
    const error = refusal(["sh"], { cwd: "/nowhere" });
    expect(error.message).toContain("its folder /nowhere does not exist");
    expect(error.facts).toMatchObject({ cwd: "/nowhere", command: "sh" });
    expect(refusal(["sh"], { cwd: import.meta.path }).message).toContain("is not a folder");
  });

  test("not executable, on a path and on PATH; a folder; no shebang; no interpreter (O014)", async () => {
    await using dir = await folder();
    const file = join(dir.path, "server");
    await writeFile(file, "echo hi\n", { mode: 0o644 });
    for (const error of [refusal([file]), refusal(["server"], { env: { PATH: dir.path } })]) {
      expect(error.message).toContain(`permission denied: ${file} is not executable`);
      expect(error.facts.errno).toBe("EACCES");
      expect(error.hint).toBe(`chmod +x ${file}`);
    }
    expect(refusal([dir.path]).message).toContain("is a folder");
    await chmod(file, 0o755);
    expect(refusal([file]).facts.errno).toBe("ENOEXEC");
    expect(refusal([file]).hint).toContain("#!");
    await writeFile(file, "#!/nowhere/node\n");
    expect(refusal([file]).message).toContain(`the interpreter that ${file} names is missing`);
  });

  test("NUL in command or argument is the configuration's fault", () => {
    expect(refusal(["sh", "a\0b"])).toMatchObject({ code: "config" });
    expect(refusal(["s\0h"])).toMatchObject({ code: "config" });
  });
});

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

describe("stdin", () => {
  test("lines arrive whole and in order, however large and however many at once", async () => {
    await using child = start(["cat"]).child;
    const lines = [300_000, 1, 70_000, 0, 5].map((n, i) => String(i).repeat(n));
    const output = new Output(child);
    const written = Promise.all(lines.map((line) => child.write(line)));
    for (const line of lines) expect(await output.line()).toBe(line);
    await written;
    await child.write("with its own newline\n");
    await child.write("next");
    expect([await output.line(), await output.line()]).toEqual(["with its own newline", "next"]);
  });

  test("5 MB each way to a child that does not read while it writes (B098)", async () => {
    const { child } = startFixture("flood.ts");
    const written = child.write("i".repeat(5_000_000));
    const output = new Output(child);
    for (let i = 0; i < 5000; i++) expect((await output.line()).length).toBe(999);
    await written;
    const stopped = child.stop();
    expect(await output.rest()).toBe("read 5000001\n");
    expect((await stopped).rung).toBe("eof");
  });

  test("a child that closed its stdin is one error, for small and for large lines, again and again", async () => {
    await using child = startFixture("closes-stdin.ts", { stopMs: 100 }).child;
    await new Output(child).line();
    const error = { code: "server_exit", message: 'server "it" takes no more input' };
    await until("the pipe is known to be closed", async () => {
      try {
        await child.write("small");
        return false;
      } catch (failure) {
        expect(failure).toMatchObject(error);
        return true;
      }
    });
    await expect(child.write("large".repeat(1_000_000))).rejects.toMatchObject(error);
  });

  test.each([
    ["large", 5_000_000],
    ["small", 5],
  ])(
    "a %s line to a child that dies meanwhile, or is dead, is one error with the facts",
    async (_, size) => {
      const { child } = start(["sh", "-c", "echo last words >&2; sleep 0.1; exit 9"]);
      const first = child.write("x".repeat(size));
      const error = {
        code: "server_exit",
        message: 'server "it" has ended (exit code 9)',
        facts: { server: "it", exitCode: 9, stderr: ["last words"] },
      };
      if (size > 1000) await expect(first).rejects.toMatchObject(error);
      await child.exited;
      await expect(child.write("x".repeat(size))).rejects.toMatchObject(error);
      await child.stop();
    },
  );

  test("a write fails at the exit although a grandchild keeps the pipe", async () => {
    const { child } = start(["sh", "-c", "exec 3<&0; sleep 60 <&3 & sleep 0.1"], { stopMs: 100 });
    await expect(child.write("x".repeat(5_000_000))).rejects.toMatchObject({ code: "server_exit" });
    await child.stop();
  });

  test("nothing can be written after the stop has begun", async () => {
    const { child } = start(["cat"]);
    const stopped = child.stop();
    await expect(child.write("late")).rejects.toMatchObject({ code: "server_exit" });
    expect((await stopped).rung).toBe("eof");
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
