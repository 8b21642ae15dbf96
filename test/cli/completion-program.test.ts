/** `mcphost completion` and what its scripts ask: scripts for each shell, ids, and no complaint in the middle of a line. */
import { describe, expect, test } from "bun:test";

import { scripts } from "../../lib/cli/completion-scripts.ts";
import { expectRun, mcphost, root, tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";

describe("completion", () => {
  test("prints a script for each shell, and names the shells otherwise", async () => {
    for (const shell of ["bash", "zsh", "fish"] as const)
      expectRun(await mcphost("completion", shell).run(), { stdout: scripts[shell] });
    for (const args of [[], ["tcsh"], ["bash", "zsh"]])
      expectRun(await mcphost("completion", ...args).run(), { code: 2, stderr: /bash, zsh, fish/ });
  });

  test("ids are those of calls that wait, and of grants; no store is made for them", async () => {
    await using dir = await tempDir();
    const offered = async (...words: string[]) => {
      const run = await mcphost("completion", "zsh", "--", ...words, "")
        .home(dir.path)
        .run();
      return run.stdout.split("\n").slice(1, -1);
    };
    expect(await offered("approvals", "approve")).toEqual([]);
    expect(await Bun.file(dir.file("state", "mcphost", "store.db")).exists()).toBe(false);
    const echo = [process.execPath, `${root}/examples/echo.ts`];
    await using waits = await mcphost(
      "call",
      "add",
      "a=1",
      "b=2",
      "--ask-tool",
      "*",
      "--wait-approval",
      "--",
      ...echo,
    )
      .home(dir.path)
      .start();
    const approve = () => offered("approvals", "approve");
    let ids: string[] = [];
    await waitFor(async () => (ids = await approve()).length === 1, "a call that waits");
    expect(ids[0]).toMatch(/^[\da-f]{8}\tserver\.add$/);
    expect(await offered("approvals", "acknowledge")).toEqual([]);
    const [id = ""] = ids[0]!.split("\t");
    await mcphost("approvals", "approve", id, "--always", "tool").home(dir.path).run();
    expect((await waits.done).stdout).toBe("3\n");
    expect(await approve()).toEqual([]);
    expect((await offered("grants", "revoke"))[0]).toMatch(/^[\da-f]{8}\t.*add/);
  });

  test("never complains in the middle of a line, and starts nothing", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("mcphost.json"), "{ broken");
    const ask = (...words: string[]) =>
      mcphost("completion", "zsh", "--", ...words)
        .cwd(dir.path)
        .run();
    for (const words of [
      ["call", ""],
      ["call", "-s", "touch started", ""],
      ["--nonsense", "x", ""],
      [],
    ])
      expect(await ask(...words)).toMatchObject({ code: 0, stderr: "" });
    expectRun(await ask("doc"), { stdout: /^words\ndoctor\t/ });
    expect(await Bun.file(dir.file("started")).exists()).toBe(false);
  });
});
