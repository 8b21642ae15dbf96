/** Every file of examples/ is executed here. Where Docker or another machine would be needed, stand-ins run the command. */
import { expect, test } from "bun:test";
import { cp, mkdir, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

import { expectRun, mcphost, root, type TempDir, tempDir } from "./harness.ts";
import { nothingLeft, waitFor } from "./processes.ts";

const examples = join(root, "examples");
const config = join(examples, "mcphost.jsonc");

/** A PATH with `bun`, and with `mcphost`, `docker` and `ssh` from fixtures/bin. */
async function pathIn(dir: TempDir): Promise<string> {
  await symlink(process.execPath, dir.file("bun"));
  return [join(root, "test/fixtures/bin"), dir.path, process.env["PATH"]].join(delimiter);
}

test("mcphost.jsonc: its tools, a call, and the tool that it does not offer", async () => {
  await using dir = await tempDir();
  const PATH = await pathIn(dir);
  const tools = await mcphost("tools", "-c", config).env({ PATH }).run();
  expectRun(tools, { stdout: /^echo\(message: string\).*^add\(.*^slow\(/ms });
  expect(tools.stdout).not.toContain("fail");
  expectRun(await mcphost("call", "echo", "message=hi", "-c", config).env({ PATH }).run(), {
    stdout: "hi\n",
  });
  const denied = await mcphost("call", "fail", "-c", config).env({ PATH }).run();
  expectRun(denied, { code: 5, stderr: /fail/ });
  await nothingLeft(denied.marker);
});

test("remote.jsonc: a server in a container", async () => {
  await using dir = await tempDir();
  const call = ["call", "container_echo", "message=hi", "-c", join(examples, "remote.jsonc")];
  const run = await mcphost(...call)
    .env({ PATH: await pathIn(dir) })
    .run();
  expectRun(run, { stdout: "hi\n" });
});

test("remote.jsonc: a server on another machine, which lies in the home folder there", async () => {
  await using dir = await tempDir();
  await mkdir(dir.file("mcp"));
  await cp(join(examples, "echo.ts"), dir.file("mcp", "echo.ts"));
  const call = ["call", "ssh.echo", "message=hi", "--stderr", "-c", join(examples, "remote.jsonc")];
  const run = await mcphost(...call)
    .home(dir.path)
    .env({ PATH: await pathIn(dir), SSH_HOST: "build" })
    .run();
  expectRun(run, { stdout: "hi\n", stderr: /connected to build/ });
});

test("sum.sh: a call for each line of a shell loop", async () => {
  await using dir = await tempDir();
  const run = await mcphost()
    .program([join(examples, "sum.sh")])
    .env({ PATH: await pathIn(dir) })
    .stdin("1\n2\n3\n")
    .run();
  expectRun(run, { stdout: "6\n" });
});

test("demo.sh: the first look", async () => {
  await using dir = await tempDir();
  const run = await mcphost()
    .program([join(examples, "demo.sh")])
    .env({ PATH: await pathIn(dir) })
    .run();
  expectRun(run, { stdout: /^hello$.*^42$.*^\{.*"sum":42.*^3 steps done$/ms, stderr: /lunch/ });
});

/** What each editor fills in, and where it starts what it reads there, with this repository as its project. */
const editors = {
  cursor: { list: "mcpServers", filled: { "${workspaceFolder}": root }, inProject: false },
  "claude-code": {
    list: "mcpServers",
    filled: { "${CLAUDE_PROJECT_DIR:-.}": "." },
    inProject: true,
  },
  vscode: { list: "servers", filled: { "${workspaceFolder}": root }, inProject: true },
};

test.each(Object.entries(editors))(
  "editors/%s.json: one entry for all servers",
  async (name, { list, filled, inProject }) => {
    await using dir = await tempDir();
    let text = await Bun.file(join(examples, "editors", `${name}.json`)).text();
    for (const [written, value] of Object.entries(filled)) text = text.replaceAll(written, value);
    expect(text).not.toContain("${");
    const { command, args } = JSON.parse(text)[list].mcphost;
    const client = new Client({ name, version: "1" });
    // The command is found on the PATH, where fixtures/bin has the program from source under its name.
    const env = { PATH: await pathIn(dir), HOME: dir.path };
    const cwd = inProject ? root : dir.path;
    await client.connect(new StdioClientTransport({ command, args, env, cwd }) as never);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual(["echo", "add", "slow"]);
    const sum = await client.callTool({ name: "add", arguments: { a: 2, b: 40 } });
    expect(sum.structuredContent).toEqual({ sum: 42 });
    await client.close();
    await nothingLeft(dir.path);
  },
);

test("echo.ts keeps stdout clean, whoever prints", async () => {
  await using dir = await tempDir();
  const noisy = dir.file("noisy.ts");
  await Bun.write(
    noisy,
    'setTimeout(() => (console.log("noise"), process.stdout.write("noise")), 1)',
  );
  const argv = [process.execPath, "--preload", noisy, join(examples, "echo.ts")];
  await using server = Bun.spawn(argv, { stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  let stderr = "";
  const reading = (async () => {
    for await (const chunk of server.stderr) stderr += new TextDecoder().decode(chunk);
  })();
  await waitFor(() => stderr.split("noise").length > 2, "both to land on stderr");
  server.stdin.end();
  await reading;
  expect(await server.stdout.text()).toBe("");
});

test("echo.ts answers what a server must, in either era, and leaves at the end of its input", async () => {
  const modern = { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } };
  const lines = [
    { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18" } },
    { id: 2, method: "server/discover", params: modern },
    { method: "notifications/unheard-of" },
    { id: 3, method: "tools/call", params: { name: "slow", arguments: { stepMs: 20 } } },
    { id: 4, method: "tools/call", params: { name: "slow", arguments: { stepMs: 20 } } },
    { method: "notifications/cancelled", params: { requestId: 4 } },
    { id: 5, method: "ping" },
    { id: 6, method: "no/such" },
    { id: 7, method: "tools/call", params: { name: "none" } },
  ].map((message) => JSON.stringify({ jsonrpc: "2.0", ...message }));
  const argv = [process.execPath, join(examples, "echo.ts")];
  await using server = Bun.spawn(argv, { stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  server.stdin.write(`${lines.join("\n")}\nnonsense\n[]\n`);
  await server.stdin.flush();
  let text = "";
  const reading = (async () => {
    for await (const chunk of server.stdout) text += new TextDecoder().decode(chunk);
  })();
  // The long call is answered last, so all others have been by then.
  await waitFor(() => text.includes("3 steps done"), "the long call");
  server.stdin.end();
  await Promise.all([reading, server.exited]);
  expect(server.exitCode).toBe(0);

  const answers = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  expect(byId.get(1).result.protocolVersion).toBe("2025-06-18");
  expect(byId.get(2).result).toMatchObject({ resultType: "complete", ttlMs: 0 });
  expect(byId.get(5).result).toEqual({});
  expect(byId.get(6).error.code).toBe(-32601);
  expect(byId.get(7).error.code).toBe(-32602);
  expect(answers.filter(({ id }) => id === null).map(({ error }) => error.code)).toEqual([
    -32700, -32600,
  ]);
  expect(byId.has(4)).toBe(false);
  expect(answers.indexOf(byId.get(5))).toBeLessThan(answers.indexOf(byId.get(3)));
});
