import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { serveRemote } from "../fixtures/remote/server.ts";
import { expectRun, mcphost, type TempDir, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";

const faulty = join(import.meta.dir, "../fixtures/servers/faulty.ts");
const guide = join(import.meta.dir, "../fixtures/cli/guide.ts");
const well = { command: process.execPath, args: [faulty, "none"] };

async function project(mcpServers: object, file = "c.json"): Promise<TempDir> {
  const dir = await tempDir();
  await Bun.write(dir.file(file), JSON.stringify({ mcpServers }));
  return dir;
}

function servers(dir: TempDir, ...args: string[]) {
  return mcphost("servers", ...args)
    .home(dir.path)
    .cwd(dir.path);
}

describe("servers", () => {
  test("lists what is configured without starting anything", async () => {
    await using dir = await project({
      touch: { command: "touch", args: ["started"] },
      off: { ...well, disabled: true },
      unset: { ...well, env: { KEY: "${NO_SUCH_VARIABLE}" } },
      odd: { args: [] },
    });
    const run = await servers(dir, "-c", "c.json").run();
    const file = dir.file("c.json");
    expectRun(run, {
      code: 2,
      stdout: `NAME   KIND   STATE          ERA  TOOLS  FROM
touch  stdio  idle           -    -      ${file}
off    stdio  disabled       -    -      ${file}
unset  stdio  misconfigured  -    -      ${file}
odd    -      misconfigured  -    -      ${file}
`,
      stderr: /server "odd"[^]*NO_SUCH_VARIABLE is not set/,
    });
    expect(await Bun.file(dir.file("started")).exists()).toBe(false);
  });

  test("--check starts each and says how it is; what was learned is known afterwards", async () => {
    await using dir = await project({
      guide: { command: process.execPath, args: [guide] },
      broken: { command: process.execPath, args: [faulty, "crash-before-initialize"] },
    });
    const checked = await servers(dir, "-c", "c.json", "--check", "--json").run();
    expect(checked.code).toBe(3);
    expect(checked.stderr).toMatch(/"broken"/);
    const [first, second] = JSON.parse(checked.stdout);
    expect(first).toEqual({
      name: "guide",
      kind: "stdio",
      state: "ready",
      era: "legacy",
      revision: "2025-11-25",
      serverInfo: { name: "guide", version: "1.2.3" },
      instructions: "Ask before you write.\n\nLine two.\nLine three.\nLine four.",
      tools: 2,
      from: { kind: "named", file: dir.file("c.json") },
    });
    expect(second).toMatchObject({
      name: "broken",
      state: "failed",
      error: { code: "server_start" },
    });
    await nothingLeft(checked.marker);

    expectRun(await servers(dir, "-c", "c.json").run(), {
      stdout: /^guide +stdio +idle +legacy 2025-11-25 +2 +\S+c\.json$/m,
    });
    expectRun(await servers(dir, "-c", "c.json", "--no-cache").run(), {
      stdout: /^guide +stdio +idle +- +- +\S+c\.json$/m,
    });
  });

  test("--check as text shows the beginning of the instructions below the server", async () => {
    await using dir = await project({ guide: { command: process.execPath, args: [guide] } });
    const run = await servers(dir, "-c", "c.json", "--check").run();
    expectRun(run, {
      stdout: /\n    Ask before you write\. …\n$/,
    });
  });

  test("what was found and is not trusted is said to be so, and not started", async () => {
    await using dir = await project({ evil: { command: "touch", args: ["started"] } }, ".mcp.json");
    for (const args of [[], ["--check"]]) {
      const run = await servers(dir, ...args).run();
      expectRun(run, { stdout: /^evil +stdio +untrusted/m, stderr: /mcphost trust/ });
    }
    expect(await Bun.file(dir.file("started")).exists()).toBe(false);
    expectRun(await servers(dir, "--trust").run(), { stdout: /^evil +stdio +idle/m });
  });

  test("none at all is an empty list", async () => {
    await using dir = await tempDir();
    expectRun(await servers(dir).run(), { stderr: /^mcphost: warning: no server .* -c FILE/ });
    expectRun(await servers(dir, "-q").run(), {});
    expectRun(await servers(dir, "--json", "--check").run(), { stdout: "[]\n" });
    expectRun(await servers(dir, "x").run(), { code: 2, stderr: /mcphost doctor SERVER/ });
  });
});

test.each(["http", "sse", "ws"] as const)(
  "which transport was found is told: %s",
  async (transport) => {
    await using home = await tempDir();
    await using server = await serveRemote({ transport, era: "legacy" });
    const at = (...words: string[]) =>
      mcphost(...words, "-s", `web=${server.url}`)
        .home(home.path)
        .run();
    expect((await at("servers")).stdout).toMatch(transport === "ws" ? /\nweb +ws/ : /\nweb +http/);
    expect((await at("servers", "--check")).stdout).toMatch(
      new RegExp(`\nweb +${transport} +ready`),
    );
    expect((await at("servers")).stdout).toMatch(new RegExp(`\nweb +${transport} +idle`));
    const over = transport === "http" ? "connected in" : `connected over ${transport} in`;
    expect((await at("doctor")).stdout).toContain(over);
    expect(JSON.parse((await at("doctor", "--json")).stdout)[0].transport).toBe(transport);
  },
);
