/** `tools`: lists, one tool explained, and rules. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, root } from "../harness.ts";
import { many, manyServer } from "./kit.ts";

const tools = (...words: string[]) => many("tools", ...words);

setDefaultTimeout(30_000);

describe.concurrent("lists", () => {
  test("signatures, one a line, in the server's order", async () => {
    const { stdout } = await tools().run();
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(12);
    expect(lines.slice(0, 4)).toEqual([
      "echo(message: string)",
      'args(pin?: string, n?: integer, flag?: boolean, list?: number[], target?: object, color?: "red" | "green")',
      "need(n: integer)",
      "big(bytes?: integer)",
    ]);
  });

  test("as JSON: one array", async () => {
    const run = await tools("--json", "need").run();
    expect(JSON.parse(run.stdout)).toEqual([
      {
        name: "need",
        server: "server",
        tool: "need",
        inputSchema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      },
    ]);
    expect(run.stdout.trimEnd()).not.toContain("\n");
  });

  test("patterns: globs, words of names and descriptions, and nothing", async () => {
    expectRun(await tools("*i*").run(), { stdout: /^big\(.*\nfail\(\)\nimage\(\)\n$/ });
    expectRun(await tools("server.*g").run(), { stdout: /^big\(.*\nhang\(\)\n$/ });
    expectRun(await tools("red").run(), { stdout: /^control\(\)/ });
    expectRun(await tools("http://127.0.0.1:9/mcp").run(), {
      code: 2,
      stderr:
        /no tool matches .*\n {2}a server that is reached is named by -s http:\/\/127.0.0.1:9\/mcp\n/,
    });
    expectRun(await tools("ecko").run(), { code: 2, stderr: /no tool matches "ecko"\n.*echo/ });
    expectRun(await tools("nosuchthing").run(), {
      code: 2,
      stderr:
        /no tool matches "nosuchthing"\n {2}there (is|are) \d+ tools?: without a pattern all are listed\n/,
    });
    for (const name of ["echo", "server_echo", "server.echo", "server/echo"])
      expectRun(await tools(name).run(), { stdout: /^echo\(/ });
    expectRun(await tools("a", "b").run(), { code: 2, stderr: /one pattern.*\n.*glob.*behind --/ });
  });

  test("one match is explained, with a call that can be copied", async () => {
    const { stdout } = await tools("args").run();
    expect(stdout).toStartWith("args(pin?: string");
    expect(stdout).toMatch(/pin: string\n +kept as typed\n/);
    expect(stdout).toMatch(/flag: boolean = true\n/);
    expect(stdout).toMatch(/color: "red" \| "green"\n/);
    const example = (await tools("need").run()).stdout.trimEnd().split("\n").at(-1) ?? "";
    expect(example).toStartWith("  mcphost call need n=1 -- ");
    const copied = example
      .trim()
      .replace(/^mcphost/, [...bunAlone, join(root, "mcphost.ts")].join(" "));
    expect(await Bun.spawn(["sh", "-c", copied]).stdout.text()).toBe('{"n":1}\n');
  });

  test("--schema prints the schema of one", async () => {
    expect(JSON.parse((await tools("echo", "--schema").run()).stdout)).toEqual({
      type: "object",
      properties: { message: { type: "string" } },
      required: ["message"],
    });
    expectRun(await tools("*", "--schema").run(), { code: 2, stderr: /one tool/ });
  });

  test("--policy knows a tool by all names that a call knows it by", async () => {
    for (const name of ["echo", "server_echo", "server.echo", "server/echo"])
      expectRun(await tools("echo", "--policy", "--deny-tool", name).run(), {
        stdout: `deny   echo  by --deny-tool "${name}"\n`,
      });
  });

  test("--policy: what would happen, and by which rule", async () => {
    const run = await tools(
      "e*",
      "--policy",
      "--deny-tool",
      "env",
      "--ask-tool",
      "server.echo",
    ).run();
    expectRun(run, {
      stdout: 'ask    echo  by --ask-tool "server.echo"\ndeny   env   by --deny-tool "env"\n',
    });
    const json = await tools("need", "--policy", "--json").run();
    expect(JSON.parse(json.stdout)).toEqual([
      { name: "need", server: "server", tool: "need", do: "allow" },
    ]);
  });

  test("what a server says is visible on a terminal", async () => {
    await using screen = await tools("control").terminal();
    await screen.shows(/\\u001b\[31mred\\u202e/);
    expect(await screen.exited).toBe(0);
  });

  test("a reader that leaves is quiet", async () => {
    const script = '"$@" | head -c 5; echo " ${PIPESTATUS[0]}"';
    const words = [...bunAlone, join(root, "mcphost.ts"), "tools", "--json", "--", ...manyServer];
    const proc = Bun.spawn(["bash", "-c", script, "bash", ...words], { stderr: "pipe" });
    expect(await proc.stdout.text()).toBe('[{"na 0\n');
    expect(await proc.stderr.text()).toBe("");
  });
});
