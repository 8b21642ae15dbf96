/** `tee` as a host starts it. */
import { sourceProgram, type TempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";

/** Whether there are signals and such here. */
export const posix = process.platform !== "win32";

/** `tee` in front of a command, with all its ends in our hands, as a host has them. */
export function teeing(dir: TempDir, ...command: string[]) {
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
