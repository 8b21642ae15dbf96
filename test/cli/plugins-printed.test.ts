/** What plugins print: stdout stays clean of it. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root } from "../harness.ts";
import { echo, folder, saying } from "./plugins-kit.ts";

const message = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;

describe.concurrent("what they print", () => {
  const loud = `
    const say = (where) => {
      console.log("log", where);
      console.info({ where });
      process.stdout.write("raw " + where + "\\n");
    };
    say("loading");
    export default {
      name: "loud",
      setup() { say("setup"); return () => say("cleanup"); },
      hooks: {
        listTools: () => say("listTools"),
        beforeCall: () => say("beforeCall"),
        approve: () => (say("approve"), { approve: true }),
        afterCall: () => say("afterCall"),
        serverStart: () => say("serverStart"),
        message: () => say("message"),
        log: () => say("log"),
      },
      tools: { loud: { description: "", input: {}, run: () => (say("run"), "quiet") } },
    };`;

  test("stands on stderr: stdout holds the result alone", async () => {
    await using dir = await folder({ "loud.ts": loud });
    const line = ["call", "loud", "--ask-tool", "*", "--plugin", "loud.ts"];
    const run = await mcphost(...line)
      .cwd(dir.path)
      .run();
    expectRun(run, { stdout: "quiet\n", stderr: /./ });
    for (const where of [
      "loading",
      "setup",
      "listTools",
      "beforeCall",
      "approve",
      "afterCall",
      "run",
      "message",
      "cleanup",
    ])
      expect(run.stderr).toContain(`log ${where}\n{\n  where: "${where}",\n}\nraw ${where}\n`);
    const other = await mcphost("call", "echo", "message=hi", "--plugin", "loud.ts", "--", ...echo)
      .cwd(dir.path)
      .run();
    expectRun(other, { stdout: "hi\n", stderr: /raw serverStart/ });
  });

  test("of the gateway stdout holds the protocol alone, and the plugin is a server in one file", async () => {
    await using dir = await folder({ "loud.ts": loud });
    const gateway = [
      ...bunAlone,
      join(root, "mcphost.ts"),
      "gateway",
      "--plugin",
      dir.file("loud.ts"),
    ];
    expectRun(await mcphost("call", "loud", "--", ...gateway).run(), { stdout: "quiet\n" });
    const run = await mcphost("gateway", "--plugin", "loud.ts")
      .cwd(dir.path)
      .stdin(
        message(1, "initialize", {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "t", version: "1" },
        }) + message(2, "tools/call", { name: "loud", arguments: {} }),
      )
      .run();
    const lines = run.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.find(({ id }) => id === 2)).toMatchObject({
      result: { content: [{ text: "quiet" }] },
    });
    expect(run.stderr).toContain("raw run");
  });
});

test("a gateway that was started by hand says what it waits for", async () => {
  await using dir = await folder({ "p.ts": saying("hello", '"world"') });
  const gateway = mcphost("gateway", "--plugin", "p.ts").cwd(dir.path);
  await using screen = await gateway.terminal();
  await screen.shows(/waits for MCP messages on stdin.*Ctrl-D/);
  screen.type("\u0004");
  expect(await screen.exited).toBe(0);
});
