/** Entries that cannot be read: whatever asks for something of theirs says what is wrong with them. */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { manyServer } from "./kit.ts";

const json = (mcpServers: object) => ["--config-json", JSON.stringify({ mcpServers })];
const asking = [
  ["call", "get-sum", "a=1"],
  ["call", "get-sum", "--no-validate"],
  ["read", "demo://x"],
  ["prompt", "p"],
  ["subscribe", "demo://x"],
  ["subscribe"],
];

test.concurrent("a config given inline is no file", async () => {
  expectRun(await mcphost("tools", "--config-json", "servers.json").run(), {
    code: 2,
    stderr:
      'mcphost: --config-json:1:1: expected a value, found "s"\n  --config-json takes JSON itself; -c FILE reads a file\n',
  });
});

test.concurrent("a config without servers is named", async () => {
  await using dir = await tempDir();
  await Bun.write(dir.file("none.json"), '{"mcpServers": {}}');
  for (const command of ["tools", "doctor", "servers"]) {
    const run = await mcphost(command, "-c", "none.json").cwd(dir.path).run();
    expect(run.stderr, command).toContain("no server is configured in none.json");
  }
});

test.concurrent("an env file that is none is told with its server", async () => {
  await using dir = await tempDir();
  await Bun.write(dir.file("a.yaml"), "A: 1\n");
  const [command, ...args] = manyServer;
  const servers = { one: { command, args, envFile: "a.yaml" }, two: { command, args } };
  const run = await mcphost("tools", "need", ...json(servers))
    .cwd(dir.path)
    .run();
  expectRun(run, {
    code: 2,
    stdout: /^two_need/,
    stderr: /^mcphost: server "one": envFile: a\.yaml:1: expected NAME=value\n {2}an env file /,
  });
});

describe.concurrent("the only server", () => {
  test.each(asking)("%s %s", async (...words) => {
    const run = await mcphost(...words.filter(Boolean), ...json({ x: { type: "http" } })).run();
    const text =
      'mcphost: server "x" of --config-json: mcpServers.x: a server of type http needs a url\n';
    expectRun(run, { code: 2, stderr: text });
  });

  test.each([
    ["http://127.0.0.1:9/mcp", "expected an object, found a string"],
    [{ type: "stdio", url: "http://127.0.0.1:9/mcp" }, "a server of type stdio needs a command"],
    [{ url: "http://127.0.0.1:9/mcp", headers: { k: 1 } }, "headers.k: expected a string"],
  ])("%j", async (entry, text) => {
    const run = await mcphost("call", "get-sum", ...json({ x: entry })).run();
    expect(run).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(text) });
  });
});

test("two of them: both are named", async () => {
  const run = await mcphost("call", "t", ...json({ x: { type: "http" }, y: 1 })).run();
  expectRun(run, {
    code: 2,
    stderr: `mcphost: server "x" of --config-json: mcpServers.x: a server of type http needs a url
  not listed: server "y" of --config-json: mcpServers.y: expected an object, found a number
`,
  });
});

test("beside one that works it is named where a name is not known, and in nobody's way else", async () => {
  const [command, ...args] = manyServer;
  const config = json({ x: { type: "http" }, ok: { command, args } });
  const run = await mcphost("call", "get-summer", ...config).run();
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('no tool is called "get-summer"');
  expect(run.stderr).toContain('; not listed: server "x" of --config-json: mcpServers.x: a server');
  expectRun(await mcphost("call", "echo", "message=hi", ...config).run(), { stdout: "hi\n" });
});

test("a tool of a server that is disabled: that is why there is none", async () => {
  const [command, ...args] = manyServer;
  const config = json({ off: { command: "true", disabled: true }, ok: { command, args } });
  expectRun(await mcphost("call", "off.echo", "message=hi", ...config).run(), {
    code: 2,
    stderr: 'mcphost: server "off" is disabled\n  its entry says so: take `disabled` out of it\n',
  });
});

test("--json: all that stands on stderr is JSON, a line each", async () => {
  const [command, ...args] = manyServer;
  const config = json({ x: { type: "http" }, ok: { command, args, requestInit: {} } });
  for (const words of [
    ["tools"],
    ["servers", "--check"],
    ["call", "nope", "--log-level", "debug"],
  ]) {
    const run = await mcphost(...words, "--json", ...config).run();
    const lines = run.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.filter((line) => "error" in line)).toHaveLength(1);
    const warned = lines.filter(({ event, level }) => event === "log" && level === "warn");
    expect(warned.map(({ text }) => text)).toEqual([expect.stringContaining("requestInit")]);
  }
});

describe.concurrent("flags", () => {
  const url = ["-s", "web=http://127.0.0.1:9/mcp"];

  test("without an effect are said to have none", async () => {
    const flags = ["--env", "A=b", "--cwd", "/", "--stderr", "--inherit-env"];
    const run = await mcphost("tools", ...flags, ...url).run();
    for (const flag of ["env", "cwd", "stderr", "inherit-env"])
      expect(run.stderr).toContain(
        `mcphost: warning: --${flag} has no effect: no server here is started by a command\n`,
      );
    const header = ["--header", "A: b", "-s", `many=${manyServer.join(" ")}`];
    expectRun(await mcphost("call", "echo", "message=hi", ...header).run(), {
      stdout: "hi\n",
      stderr: "mcphost: warning: --header has no effect: no server here is reached by a URL\n",
    });
    const both = await mcphost("tools", "--env", "A=b", ...url, ...header).run();
    expect(both.stderr).not.toContain("no effect");
  });

  test.each([
    ["-k", /tls\.insecure/],
    ["--insecure", /tls\.insecure/],
    ["-H", /--header 'K: V'/],
    ["-Z", /^mcphost: unknown flag -Z\n {2}mcphost tools --help lists the flags\n$/],
  ])("of curl are told of: %s", async (flag, stderr) => {
    expectRun(await mcphost("tools", flag, ...url).run(), { code: 2, stderr });
  });

  test("limits in the entry of a server are told where they belong", async () => {
    const entry = { url: "http://127.0.0.1:9/mcp", connectTimeoutMs: 5, limits: {} };
    const run = await mcphost("servers", ...json({ web: entry })).run();
    expect(run.stderr).toContain(
      "connectTimeoutMs is one of limits, which hold for all servers: they stand beside mcpServers",
    );
    expect(run.stderr).toContain("limits hold for all servers");
  });
});
