/** Tools of several servers: those that can be had, those that cannot be listed, and those that wait for trust. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { manyServer } from "./kit.ts";

const [command, ...args] = manyServer;

const config = (servers: Record<string, unknown>) => [
  "--config-json",
  JSON.stringify({ mcpServers: servers }),
];

setDefaultTimeout(30_000);

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
