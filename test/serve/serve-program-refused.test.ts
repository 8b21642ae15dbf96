/** What is wrong with the settings of `mcphost serve` is said, and nothing starts. */
import { describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";

import { bunAlone, mcphost, tempDir } from "../harness.ts";
import { liveProcesses } from "../processes.ts";
import { serveProgram } from "./program-kit.ts";
import { one, plan, program } from "./serve-program-kit.ts";

describe("what is wrong is said, and nothing starts", () => {
  test("an address for others without a token", () =>
    refused(2, /0\.0\.0\.0 is not a loopback.*\n.*MCPHOST_TOKEN/, "--host", "0.0.0.0"));

  test("a port that is taken", async () => {
    await using serve = await serveProgram(one);
    await refused(
      2,
      new RegExp(`port ${serve.port} of 127.0.0.1 is taken.*\n.*lsof -i :${serve.port}`),
      "--port",
      String(serve.port),
    );
    expect((await fetch(`${serve.url}/health`)).status).toBe(200);
  });

  test.each([
    ["--host", "192.0.2.1", "cannot listen at 192.0.2.1:0: ", "  the host is an address of this "],
    ["--unix", "/nowhere/sock", "cannot listen at /nowhere/sock: ", "  its folder has to be there"],
    ["--unix", "/", "/ is there already, and is no socket\n", "  name another path"],
  ])("%s %s: what to do, too", async (flag, place, what, next) => {
    const port = flag === "--host" ? ["--port", "0"] : [];
    const run = await mcphost("serve", flag, place, ...port, "--no-user-config")
      .env({ MCPHOST_TOKEN: "a-token-that-is-long-enough" })
      .run();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`mcphost: ${what}`);
    expect(run.stderr).toContain(`\n${next}`);
  });

  test("without a home: there is neither store nor key, and how to have them", async () => {
    const none = { HOME: undefined, XDG_CONFIG_HOME: undefined, XDG_CACHE_HOME: undefined };
    const run = await mcphost("serve", "--port", "0", "--max-time", "500ms")
      .env({ ...none, XDG_STATE_HOME: undefined })
      .run();
    expect(run.stderr).toContain(
      "no audit log, and no approvals: there is no folder for the store; set HOME or XDG_STATE_HOME",
    );
    expect(run.stderr).toMatch(/the start key could not be kept: .*; .* with --token-file or MCPH/);
    const token = { MCPHOST_TOKEN: "a-token-that-is-long-enough", XDG_STATE_HOME: undefined };
    const other = await mcphost("serve", "--port", "0", "--max-time", "500ms")
      .env({ ...none, ...token })
      .run();
    expect(other.stderr).toContain("there is no folder for the store");
    expect(other.stderr).not.toContain("the start key");
  });

  test.each([
    ["--port", "x"],
    ["--port", "65536"],
    ["--port", "-1"],
    ["--origin", "page.example"],
    ["--origin", "http://page.example/path"],
    ["--cert", "cert.pem"],
    ["--token-file", "/nowhere/token"],
    ["--token", "two words"],
    ["--token", ""],
    ["--unix", "x.sock", "--port", "1"],
    ["stray"],
    ["--prot", "1"],
  ])("%s %s", (...args) => refused(2, /^mcphost: /, ...(args as string[])));

  test.each([
    ['{"port": "3003"}', "serve.port: expected a port, found a string"],
    ['{"port": 65536}', "serve.port: expected a port, from 0 to 65535"],
    ['{"origins": ["page.example"]}', "serve.origins[0]: expected an origin such as"],
    ['{"token": []}', "did you mean tokens?"],
    ['{"tokens": [{"name": "a", "token": "b", "tool": []}]}', "did you mean tools?"],
    ['{"tokens": [{"name": "a"}]}', "serve.tokens[0]: expected the key"],
    ['{"tokens": "x"}', "serve.tokens: expected an array of tokens"],
    ["[]", "serve: expected an object"],
  ])("config %s", async (serve, message) => {
    const run = await mcphost(
      "serve",
      "--config-json",
      `{"mcpServers": {}, "serve": ${serve}}`,
    ).run();
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(message);
  });

  test("what a found project says of it has no effect", async () => {
    await using folder = await tempDir();
    const serve = { host: "0.0.0.0", tokens: [{ name: "theirs", token: "known-to-them" }] };
    const mcpServers = { a: { command: bunAlone[0], args: [program, plan] } };
    await writeFile(folder.file("mcphost.json"), JSON.stringify({ mcpServers, serve }));
    const shown = await mcphost("config", "--show").cwd(folder.path).run();
    expect(shown.stdout).not.toContain("theirs");
    expect(shown.stdout + shown.stderr).toContain("its serve has no effect");
  });
});

/** It says what is wrong, and starts nothing. */
async function refused(code: number, stderr: RegExp, ...args: string[]): Promise<void> {
  const run = await mcphost("serve", ...args, ...one).run();
  expect([run.code, run.stdout]).toEqual([code, ""]);
  expect(run.stderr).toMatch(stderr);
  expect(await liveProcesses(run.marker)).toEqual([]);
}
