/** Reported faults of configs: expansion, keys of other hosts, environments. By the real program and what servers see. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { config, entry } from "./kit.ts";

setDefaultTimeout(30_000);

const ours = { A: "value-a", B: "${A}", EMPTY: "", UNSET: undefined };

/** What a server of this entry sees of its environment, or its arguments. */
async function seen(
  more: Record<string, unknown>,
  what: "env" | "argv",
  env: Record<string, string | undefined> = ours,
) {
  const { args = [], ...others } = more;
  const server = entry("plain.tells", others);
  server.args.push(...(args as string[]));
  const run = await mcphost("call", what, ...config({ s: server }))
    .env(env)
    .run();
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(run.stdout);
}

const forms: Record<string, string> = {
  "${A}": "value-a",
  "${A:-dflt}": "value-a",
  "${UNSET:-dflt}": "dflt",
  "${UNSET:-}": "",
  "${EMPTY:-dflt}": "dflt",
  "x${EMPTY}y": "xy",
  "${env:A}": "value-a",
  "$env:A": "value-a",
  "{env:A}": "value-a",
  $A: "$A",
  "%A%": "%A%",
  "$${A}": "${A}",
  "a}b": "a}b",
  "a{b}c": "a{b}c",
  $: "$",
  "${": "${",
  $$: "$$",
  // A value that holds a reference is not looked at again.
  "${B}": "${A}",
  "Bearer ${A}!": "Bearer value-a!",
  "${A}${A}": "value-avalue-a",
  "${A:-${UNSET}}": "value-a",
  "${UNSET:-${A}}": "value-a",
};

describe.concurrent("B007 expansion", () => {
  test("each form, once, in args and in env", async () => {
    const texts = Object.keys(forms);
    const wanted = Object.values(forms);
    expect(await seen({ args: texts }, "argv")).toEqual(wanted);
    const env = Object.fromEntries(texts.map((text, n) => [`FORM_${n}`, text]));
    const told = await seen({ env }, "env");
    expect(texts.map((_, n) => told[`FORM_${n}`])).toEqual(wanted);
  });

  test("in command, cwd and url too", async () => {
    await using dir = await tempDir();
    const server = entry("plain.tells");
    const command = { ...server, command: "${BUN}", cwd: "${DIR}" };
    const run = await mcphost("call", "echo", "message=x", ...config({ s: command }))
      .env({ BUN: server.command, DIR: dir.path })
      .run();
    expectRun(run, { stdout: "x\n" });
    const unset = await mcphost("tools", ...config({ s: { url: "${UNSET}/mcp" } })).run();
    expect(unset.code).toBe(2);
  });

  test.each([
    ["env.TOKEN", { env: { TOKEN: "Bearer ${UNSET}" } }],
    ["args[0]", { args: ["--key=${UNSET}"] }],
    ["args[1]", { args: ["x", "${env:UNSET}"] }],
    ["command", { command: "${UNSET}" }],
    ["cwd", { cwd: "${UNSET}/x" }],
  ])(
    "an unset one in %s is an error with server, field and variable, for that server alone",
    async (field, more) => {
      const servers = {
        bad: { ...entry("plain.tells"), args: [], ...more },
        good: entry("plain.tells"),
      };
      const run = await mcphost("tools", ...config(servers))
        .env({ UNSET: undefined })
        .run();
      expectRun(run, {
        code: 2,
        stdout: /^good_echo/,
        stderr: /^mcphost: .*bad.*UNSET is not set/,
      });
      expect(run.stderr).toContain(field);
      const call = await mcphost("call", "bad.echo", "message=x", "--json", ...config(servers))
        .env({ UNSET: undefined })
        .run();
      expect(call.code).toBe(2);
      expect(JSON.parse(call.stderr).error).toMatchObject({
        code: "config",
        server: "bad",
        field,
        variable: "UNSET",
      });
      expectRun(await mcphost("call", "good.echo", "message=x", ...config(servers)).run(), {
        stdout: "x\n",
      });
    },
  );

  test("what only an editor would fill in, and what is no form here, is handed on with a warning", async () => {
    const env = {
      COMMAND: "${command:pick}",
      FOLDER: "${workspaceFolder:docs}/x",
      SETTING: "${config:editor.fontSize}",
      TOKEN: "$OUR_TOKEN",
      PRICE: "$NOT_SET",
      HELD: "$${command:x}",
      WINDOWS: "%OUR_TOKEN%",
      BRACES: "Bearer {{ OUR_TOKEN }}",
      DOTTED: "${env.OUR_TOKEN}",
      SPACED: "${ OUR_TOKEN }",
      SHELL: "${OUR_TOKEN:?not set}",
      PERCENT: "100%OUR_TOKEN%",
      SCRIPT: "echo ${OUR_TOKEN%x}",
    };
    const run = await mcphost("call", "env", ...config({ s: entry("plain.tells", { env }) }))
      .env({ OUR_TOKEN: "t0k3n" })
      .run();
    expect(run.code).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ ...env, HELD: "${command:x}" });
    expect(run.stderr.split("\n")).toEqual([
      'mcphost: warning: [s] env.COMMAND: "${command:pick}" stays as it is: only an editor knows it',
      'mcphost: warning: [s] env.FOLDER: "${workspaceFolder:docs}" stays as it is: only an editor knows it',
      'mcphost: warning: [s] env.SETTING: "${config:editor.fontSize}" stays as it is: only an editor knows it',
      ...[
        'env.TOKEN: "$OUR_TOKEN"',
        'env.WINDOWS: "%OUR_TOKEN%"',
        'env.BRACES: "{{ OUR_TOKEN }}"',
        'env.DOTTED: "${env.OUR_TOKEN}"',
        'env.SPACED: "${ OUR_TOKEN }"',
        'env.SHELL: "${OUR_TOKEN:?not set}"',
      ].map(
        (what) =>
          `mcphost: warning: [s] ${what} stays as it is: the variable is written \${OUR_TOKEN}`,
      ),
      "",
    ]);
  });

  test("what stands behind -- or -s is not expanded", async () => {
    const { command, args } = entry("plain.tells");
    expectRun(
      await mcphost("call", "argv", "--", command, ...args, "${A}", "$A")
        .env(ours)
        .run(),
      { stdout: '["${A}","$A"]\n' },
    );
    const spec = `s=${[command, ...args].join(" ")} '\${A}'`;
    expectRun(await mcphost("call", "argv", "-s", spec).env(ours).run(), { stdout: '["${A}"]\n' });
  });
});

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

describe.concurrent("B010 the environment of a server", () => {
  const base = { LANG: "C.UTF-8", TZ: "UTC", MY_SECRET: "not for servers" };

  test("without env it is the small base", async () => {
    const env = await seen({}, "env", base);
    expect(env).toMatchObject({
      LANG: "C.UTF-8",
      TZ: "UTC",
      PATH: expect.any(String),
      HOME: expect.any(String),
    });
    expect(Object.keys(env)).not.toContain("MY_SECRET");
  });

  test("one variable takes none away", async () => {
    expect(await seen({ env: { A: "1" } }, "env", base)).toMatchObject({
      A: "1",
      PATH: expect.any(String),
      HOME: expect.any(String),
      LANG: "C.UTF-8",
    });
  });

  test("numbers and booleans are texts as written, null takes away", async () => {
    const server = entry("plain.tells");
    const json = `{"mcpServers":{"s":{"command":${JSON.stringify(server.command)},"args":${JSON.stringify(server.args)},"env":{"N":1,"F":1.10,"BIG":12345678901234567890,"T":true,"X":false,"TZ":null,"E":"","U":"é ü"}}}}`;
    const run = await mcphost("call", "env", "--config-json", json).env(base).run();
    const env = JSON.parse(run.stdout);
    expect(env).toMatchObject({
      N: "1",
      F: "1.10",
      BIG: "12345678901234567890",
      T: "true",
      X: "false",
      E: "",
      U: "é ü",
    });
    expect(Object.keys(env)).not.toContain("TZ");
  });

  test("PATH of its own is the whole PATH", async () => {
    expect(await seen({ env: { PATH: "/x" } }, "env", base)).toMatchObject({
      PATH: "/x",
      LANG: "C.UTF-8",
    });
  });

  test.each([
    ["a name with =", { "BAD=K": "v" }, /BAD=K/],
    ["an empty name", { "": "v" }, /empty|name/],
    ["a name with NUL", { "A\u0000B": "v" }, /NUL/],
    ["a value with NUL", { A: "a\u0000b" }, /A.*NUL/],
    ["an object", { A: {} }, /A.*found an object/],
    ["a list", { A: [1] }, /A.*found an array/],
  ])("%s is refused by name, and others start", async (_, env, said) => {
    const servers = { bad: entry("plain.tells", { env }), good: entry("plain.tells") };
    const run = await mcphost("tools", ...config(servers)).run();
    expectRun(run, { code: 2, stdout: /^echo/, stderr: said });
    expect(run.stderr).toContain("bad");
  });

  test("--env and --inherit-env widen it", async () => {
    const words = ["call", "env", ...config({ s: entry("plain.tells", { env: { A: "1" } }) })];
    const given = await mcphost(...words, "--env", "MY_SECRET", "--env", "A=2")
      .env(base)
      .run();
    expect(JSON.parse(given.stdout)).toMatchObject({ MY_SECRET: "not for servers", A: "2" });
    const all = await mcphost(...words, "--inherit-env")
      .env(base)
      .run();
    expect(JSON.parse(all.stdout)).toMatchObject({ MY_SECRET: "not for servers", A: "1" });
  });
});
