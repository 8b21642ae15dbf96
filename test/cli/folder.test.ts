/** A current folder that was deleted: what needs it says so, and nothing else minds. */
import { expect, test } from "bun:test";

import { sourceProgram, tempDir } from "../harness.ts";
import { manyServer } from "./kit.ts";

async function runInGone(...words: string[]) {
  await using home = await tempDir();
  const script = `mkdir "$HOME/gone"; cd "$HOME/gone"; rmdir "$HOME/gone"; exec "$@"`;
  const proc = Bun.spawn(["sh", "-c", script, "sh", ...sourceProgram, ...words], {
    env: { PATH: process.env["PATH"], HOME: home.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, code] = await Promise.all([
    proc.stdout.text(),
    proc.stderr.text(),
    proc.exited,
  ]);
  return { stdout, stderr, code };
}

test.each(["--version", "--help", "tools --help"])("%s", async (line) => {
  expect(await runInGone(...line.split(" "))).toMatchObject({ stderr: "", code: 0 });
});

test.each(["tools", "call t -- true", "tools --cwd sub -- true"])(
  "%s is exit 2, and no server is started",
  async (line) => {
    const run = await runInGone(...line.split(" "));
    expect(run).toMatchObject({ stdout: "", code: 2 });
    expect(run.stderr).toStartWith("mcphost: the current folder does not exist any more\n");
  },
);

test("--cwd stands for it", async () => {
  const run = await runInGone("tools", "--cwd", "/", "--", ...manyServer);
  expect(run).toMatchObject({ stderr: "", code: 0 });
});
