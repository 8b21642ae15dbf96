/** The doctor by the program, of all servers: how it ends, what it counts and keeps, and what it does not start. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";
import { doctor, faulty } from "./doctor-kit.ts";

describe("doctor", () => {
  test("configuration alone is 2; a failed server is 3; each is there in config order", async () => {
    await using dir = await tempDir();
    const good = { command: process.execPath, args: [faulty, "none"] };
    const servers = {
      unset: { ...good, env: { KEY: "${NO_SUCH_VARIABLE}" } },
      bad: { args: [] },
      well: good,
      off: { ...good, disabled: true },
    };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: servers }));
    const at = (...args: string[]) =>
      mcphost("doctor", "-c", "c.json", ...args)
        .cwd(dir.path)
        .run();
    const all = await at();
    expectRun(all, { code: 2, stdout: /^unset: cannot be used[^]*\nwell: ok[^]*\nbad: cannot/ });
    expect(all.stdout).not.toContain("off:");
    expectRun(await at("well"), { stdout: /^well: ok/ });
    expectRun(await at("off"), { stdout: /^off: ok/ });
    expectRun(await at("wel"), {
      code: 2,
      stderr: /no server is called "wel"\n  did you mean well\?/,
    });
  });

  test("counts, and keeps for completion, what is offered", async () => {
    await using dir = await tempDir();
    const many = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];
    const [command, ...args] = many;
    const servers = {
      some: { command, args, allowedTools: ["echo", "need", "ecko"], deniedTools: ["some_need"] },
      none: { command, args, allowedTools: [] },
    };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: servers }));
    const at = (...words: string[]) =>
      mcphost(...words, "-c", "c.json")
        .cwd(dir.path)
        .home(dir.path);
    expectRun(await at("doctor").run(), {
      stdout:
        /^some: ok, .*, 1 tool \(11 more not offered\), .*\n.*allowedTools: "ecko" is.*\nnone: ok, .*, 0 tools \(12 more[^]*none of its 12 tools\n/,
    });
    const line = "mcphost call -c c.json some_";
    const completed = await mcphost("completion", "bash", "--", line)
      .cwd(dir.path)
      .home(dir.path)
      .run();
    expectRun(completed, { stdout: /^words\nsome_echo \n$/ });
  });

  test("what was found and is not trusted is not started", async () => {
    await using dir = await tempDir();
    const marker = dir.file("started");
    const servers = { evil: { command: "touch", args: [marker] } };
    await Bun.write(dir.file(".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const run = await mcphost("doctor").cwd(dir.path).run();
    expectRun(run, { code: 2, stdout: /^evil: cannot be used[^]*mcphost trust/ });
    expect(await Bun.file(marker).exists()).toBe(false);
  });

  test("is interrupted as everything else is", async () => {
    await using going = await doctor("silent").start();
    await waitFor(async () =>
      (await liveProcesses(going.marker)).some(
        ({ pid, command }) => pid !== going.pid && command.includes("silent"),
      ),
    );
    going.kill("SIGINT");
    expect((await going.done).code).toBe(130);
    await nothingLeft(going.marker);
  });
});

test("--max-time names the server that was looked at", async () => {
  const run = await mcphost("doctor", "--max-time", "500ms", "--", "sleep", "20").run();
  expectRun(run, {
    code: 4,
    stderr: 'mcphost: given up after 0.5 s (--max-time) while server "server" was looked at\n',
  });
  await nothingLeft(run.marker);
});
