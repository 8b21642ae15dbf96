/** What is written to a child: whole lines in order, and one error where it does not read any more. */
import { describe, expect, test } from "bun:test";

import { Output, start, startFixture, until } from "./help.ts";

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
