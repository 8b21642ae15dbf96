/** Reported faults of configs of other hosts: their keys and words, by the real program. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { config, entry } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B008 configs of other hosts", () => {
  const { command, args } = entry("plain.tells");
  const good = { command, args };
  const texts: Record<string, string> = {
    mcpServers: JSON.stringify({ mcpServers: { s: good } }),
    servers: JSON.stringify({ servers: { s: { type: "stdio", ...good } }, inputs: [] }),
    "servers as a list": JSON.stringify({ servers: [{ id: "s", ...good }] }),
    mcp_servers: JSON.stringify({ mcp_servers: { s: good } }),
    "mcp_servers as a list": JSON.stringify({
      mcp_servers: [{ name: "s", transport: "stdio", ...good, timeout: 30 }],
    }),
    mcp: JSON.stringify({
      mcp: { s: { type: "local", command: [command, ...args], environment: { A: "1" } } },
    }),
    "keys of many hosts": JSON.stringify({
      theme: "dark",
      mcpServers: {
        s: {
          ...good,
          transport: "stdio",
          disabled: false,
          autoApprove: ["x"],
          alwaysAllow: ["x"],
          timeout: 60,
          trust: true,
          description: "d",
          icon: "i",
          _note: "n",
        },
      },
    }),
    "comments and trailing commas": `// a comment\n{ /* and\n another */ "mcpServers": { "s": ${JSON.stringify(good)}, }, }`,
    "a byte order mark": `\uFEFF${JSON.stringify({ mcpServers: { s: good } })}`,
  };

  test.each(Object.entries(texts))("%s", async (_, text) => {
    await using dir = await tempDir();
    await Bun.write(dir.file("c.json"), text);
    for (const words of [
      ["-c", "c.json"],
      ...(text.startsWith("\uFEFF") ? [] : [["--config-json", text]]),
    ])
      expectRun(
        await mcphost("call", "echo", "message=x", ...words)
          .cwd(dir.path)
          .run(),
        { stdout: "x\n" },
      );
  });

  test("[mcp_servers.NAME] of a TOML file", async () => {
    await using dir = await tempDir();
    await Bun.write(
      dir.file("config.toml"),
      `[mcp_servers.s]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
    );
    expectRun(await mcphost("call", "echo", "message=x", "-c", "config.toml").cwd(dir.path).run(), {
      stdout: "x\n",
    });
  });

  test("enabled, isActive and disabled are words for one thing", async () => {
    const servers = {
      on: { ...good, enabled: true },
      off: { ...good, enabled: false },
      out: { ...good, disabled: true },
      in: { ...good, disabled: false },
      inactive: { ...good, isActive: false },
      // Another file says what it is.
      only: { enabled: false },
    };
    const run = await mcphost("servers", "--json", ...config(servers)).run();
    const states = JSON.parse(run.stdout).map(
      ({ name, state }: { name: string; state: string }) => `${name} ${state}`,
    );
    expect(states.slice(0, 4)).toEqual(["on idle", "off disabled", "out disabled", "in idle"]);
    expect(states.slice(4)).toEqual(["inactive disabled", "only disabled"]);
    expectRun(await mcphost("call", "on.echo", "message=x", ...config(servers)).run(), {
      stdout: "x\n",
    });
  });

  test.each(["type", "transport"])("%s of every spelling, and httpUrl", async (key) => {
    const words = ["http", "streamable-http", "streamableHttp", "streamable_http", "sse", "ws"];
    const kinds = [...words, "HTTP", "STREAMABLE_HTTP", "StreamableHTTP", "Streamable-Http", "Sse"];
    const servers = Object.fromEntries(
      kinds.map((kind, n) => [`s${n}`, { url: "http://127.0.0.1:1/mcp", [key]: kind }]),
    );
    const run = await mcphost(
      "servers",
      "--json",
      ...config({ ...servers, gemini: { httpUrl: "http://127.0.0.1:1/mcp" } }),
    ).run();
    expect(JSON.parse(run.stdout).map(({ kind }: { kind: string }) => kind)).toEqual(
      Array.from({ length: kinds.length + 1 }, () => "http"),
    );
    expect(run.stderr).not.toContain("nobody knows");
  });

  test("an unknown key is a hint with the nearest, and stops nothing", async () => {
    const server = { ...good, commnad: "x", somethingElse: 1 };
    const run = await mcphost("call", "echo", "message=x", ...config({ s: server })).run();
    expectRun(run, { stdout: "x\n", stderr: /warning: .*commnad.*did you mean command/ });
    expect(run.stderr).toContain("somethingElse");
  });

  test("a text that cannot be read is refused with line and column", async () => {
    await using dir = await tempDir();
    await Bun.write(
      dir.file("c.json"),
      '{\n  "mcpServers": {\n    "s": { "command" "x" }\n  }\n}\n',
    );
    const run = await mcphost("tools", "-c", "c.json").cwd(dir.path).run();
    expectRun(run, { code: 2, stderr: /c\.json:3:22/ });
  });
});
