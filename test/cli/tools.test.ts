/** `tools`: lists, one tool explained, rules, and servers that cannot be listed. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { many, manyServer } from "./kit.ts";

const tools = (...words: string[]) => many("tools", ...words);
const [command, ...args] = manyServer;

const config = (servers: Record<string, unknown>) => [
  "--config-json",
  JSON.stringify({ mcpServers: servers }),
];

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

describe.concurrent("several servers", () => {
  const good = { command, args };

  test("what can be had is printed, the others are named: exit 3", async () => {
    const servers = { good, gone: { command: "/no/such/thing" }, bad: { command: 7 } };
    const run = await mcphost("tools", "need", ...config(servers)).run();
    expect({ code: run.code, stdout: run.stdout }).toMatchObject({
      code: 3,
      stdout: expect.stringMatching(/^good_need\(n: integer\)/),
    });
    expect(run.stderr).toMatch(/"gone"/);
    expect(run.stderr).toMatch(/bad/);
    await nothingLeft(run.marker);
  });

  test("only a configuration that is wrong: exit 2, as JSON too", async () => {
    const servers = { good, unset: { command, env: { K: "${MCPHOST_NOT_SET_HERE}" } } };
    const run = await mcphost("tools", "--json", ...config(servers)).run();
    expect(run.code).toBe(2);
    expect(JSON.parse(run.stdout)).toHaveLength(12);
    expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: "config", server: "unset" } });
  });

  test("a call starts only the servers that the name can mean", async () => {
    const servers = { good, gone: { command: "/no/such/thing" } };
    const words = ["good_echo", "good.echo", "good/echo"];
    for (const word of words)
      expectRun(await mcphost("call", word, "message=x", ...config(servers)).run(), {
        stdout: "x\n",
      });
  });

  test("a call of a server whose entry is wrong says what is wrong with it", async () => {
    const servers = { good, bad: { command: 7 } };
    expectRun(await mcphost("call", "bad.echo", ...config(servers)).run(), {
      code: 2,
      stderr: /"bad".*command/,
    });
    expectRun(await mcphost("call", "good.echo", "message=x", ...config(servers)).run(), {
      stdout: "x\n",
      stderr: /^/,
    });
  });

  test("an entry that is wrong is named once, with its file once and the key that was meant once", async () => {
    await using dir = await tempDir();
    const servers = { good, bad: { comand: "x" } };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: servers }));
    const run = await mcphost("tools", "need", "-c", "c.json").cwd(dir.path).run();
    const stderr = `mcphost: server "bad" of c.json: mcpServers.bad: expected a command or a url, found neither
  nobody knows the key "comand"; did you mean command?
`;
    expectRun(run, { code: 2, stdout: /^need/, stderr });
  });

  test("a bare name of two servers is refused with the candidates", async () => {
    const run = await mcphost("call", "echo", "message=x", ...config({ good, other: good })).run();
    expectRun(run, { code: 2, stderr: /good.*other/s });
  });

  test("a server that is not there disturbs nobody", async () => {
    const servers = { good, far: { url: "http://127.0.0.1:9/mcp" } };
    expectRun(await mcphost("tools", "need", ...config(servers)).run(), {
      code: 3,
      stdout: /^good_need/,
      stderr: /"far"/,
    });
  });

  test("what was found is left out and named until it is trusted", async () => {
    await using dir = await tempDir();
    const found = { mcpServers: { evil: { command: "touch", args: [dir.file("started")] }, good } };
    await Bun.write(dir.file(".mcp.json"), JSON.stringify(found));
    const untrusted = await mcphost("tools").cwd(dir.path).run();
    expectRun(untrusted, { code: 5, stderr: /evil.*trust/s });
    const call = await mcphost("call", "good.echo", "message=x").cwd(dir.path).run();
    expectRun(call, { code: 5, stderr: /--trust/ });
    expect(await Bun.file(dir.file("started")).exists()).toBe(false);
    expectRun(await mcphost("call", "good.echo", "message=x", "--trust").cwd(dir.path).run(), {
      stdout: "x\n",
    });
  });

  test("on a terminal the question shows the whole command, and the answer is kept", async () => {
    await using dir = await tempDir();
    await using home = await tempDir();
    await Bun.write(dir.file(".mcp.json"), JSON.stringify({ mcpServers: { good } }));
    const words = ["call", "echo", "message=xyz"];
    {
      await using screen = await mcphost(...words)
        .cwd(dir.path)
        .home(home.path)
        .terminal();
      await screen.shows(/many\.ts[^]*Trust it\?/);
      screen.type("y");
      await screen.shows(/xyz\r\n/);
      expect(await screen.exited).toBe(0);
    }
    expectRun(
      await mcphost(...words)
        .cwd(dir.path)
        .home(home.path)
        .run(),
      { stdout: "xyz\n" },
    );
    await using screen = await mcphost(...words)
      .cwd(dir.path)
      .terminal();
    await screen.shows(/Trust it\?/);
    screen.type("\r");
    expect(await screen.exited).toBe(5);
  });
});
