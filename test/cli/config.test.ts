import { describe, expect, test } from "bun:test";
import { mkdir } from "node:fs/promises";

import { expectRun, mcphost, tempDir } from "../harness.ts";

const config = {
  mcpServers: {
    fs: {
      command: "npx",
      args: [
        "-y",
        "server",
        "--api-key",
        "k3y-in-the-open",
        "--token=t0ken-in-the-open",
        "--auth",
        "${AUTH}",
        "-e",
        "PASSWORD=pa55word-in-the-open",
        "/plain/path",
      ],
      env: {
        KEY: "s3cret-in-the-open",
        REFERENCE: "${KEY}",
        DEFAULT: "${KEY:-d3fault-in-the-open}",
        MIXED: "Bearer ${KEY}",
        SHORT: "1",
      },
      timeout: 5000,
    },
    web: {
      url: "https://me:pa55-in-the-open@example.com/mcp?key=qu3ry-in-the-open&ref=${KEY}",
      headers: { Authorization: "Bearer h3ader-in-the-open", "X-Key": "${env:KEY}" },
    },
    odd: { args: [] },
  },
  inputs: [{ id: "pin", password: true, default: "d3fault-pin-in-the-open" }],
};

describe("config --show", () => {
  test("shows the checked value, secrets hidden, references kept", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("c.json"), JSON.stringify(config));
    const run = await mcphost("config", "-c", "c.json", "--env", "GIVEN=g1ven-in-the-open")
      .cwd(dir.path)
      .run();
    // A bad entry is named, and takes nobody else down.
    expect(run.code).toBe(2);
    expect(run.stderr).toMatch(/server "odd"/);
    expect(run.stdout + run.stderr).not.toMatch(/in-the-open/);
    const shown = JSON.parse(run.stdout);
    const fs = shown.servers.find((server: { name: string }) => server.name === "fs");
    expect(fs.args.slice(0, 8)).toEqual([
      "-y",
      "server",
      "--api-key",
      "***",
      "--token=***",
      "--auth",
      "${AUTH}",
      "-e",
    ]);
    expect(fs.args.at(-1)).toBe("/plain/path");
    expect(fs.env).toEqual({
      KEY: "***",
      REFERENCE: "${KEY}",
      DEFAULT: "***",
      MIXED: "***",
      SHORT: "***",
      GIVEN: "***",
    });
    expect(fs.timeoutMs).toBe(5000);
    expect(fs.from).toEqual({ kind: "named", file: dir.file("c.json") });
    const web = shown.servers.find((server: { name: string }) => server.name === "web");
    expect(web.headers).toEqual({ Authorization: "***", "X-Key": "${env:KEY}" });
    expect(web.url).toMatch(/^https:\/\/me:\*\*\*@example\.com\/mcp\?key=\*\*\*&ref=\$\{KEY\}$/);
    expect(shown.bad).toMatchObject([{ name: "odd" }]);
  });

  test.each([
    ["htp:/user:PW@@@/x", "htp:/user:***@/x"],
    ["http://user:pa/ss@@:no/x", "http://user:***@:no/x"],
    ["https://h/x:y@z", "https://h/x:y@z"],
  ])("the password of an address, malformed or short: %s", async (url, shown) => {
    await using dir = await tempDir();
    const json = JSON.stringify({ mcpServers: { a: { url }, b: { command: url } } });
    const run = await mcphost("config", "--config-json", json).cwd(dir.path).run();
    const { servers } = JSON.parse(run.stdout);
    expect([servers[0].url, servers[1].command]).toEqual([shown, shown]);
  });

  test("without any config it is empty, and --json is one line", async () => {
    await using dir = await tempDir();
    const run = await mcphost("config", "--show", "--json").cwd(dir.path).run();
    expectRun(run, { stdout: /^\{"files":\[\],"servers":\[\],.*\}\n$/ });
  });

  test("a name such as __proto__ is a name like any other", async () => {
    const json = '{"mcpServers":{"__proto__":{"command":"a","env":{"__proto__":"x"}}}}';
    const run = await mcphost("config", "--config-json", json, "--no-user-config").run();
    expectRun(run, { stdout: /"name": "__proto__"[^]*"__proto__": "\*\*\*"/ });
  });
});

describe("config", () => {
  test("--schema is a JSON Schema that knows the home format", async () => {
    const run = await mcphost("config", "--schema").run();
    expect(run.code).toBe(0);
    const schema = JSON.parse(run.stdout);
    expect(schema.type).toBe("object");
    expect(Object.keys(schema.properties)).toContain("mcpServers");
  });

  test("--paths says where our files lie, also where there are none yet", async () => {
    await using dir = await tempDir();
    await mkdir(dir.file("a", "b"), { recursive: true });
    await Bun.write(dir.file("a", ".mcp.json"), "{}");
    const at = (cwd: string, ...args: string[]) =>
      mcphost("config", "--paths", ...args)
        .home(dir.path)
        .cwd(cwd)
        .run();
    const found = await at(dir.file("a", "b"), "--json");
    expect(JSON.parse(found.stdout)).toEqual({
      userConfig: dir.file("config", "mcphost", "config.json"),
      foundConfig: dir.file("a", ".mcp.json"),
      namedConfig: null,
      state: dir.file("state", "mcphost"),
      cache: dir.file("cache", "mcphost"),
    });
    await mkdir(dir.file("config", "mcphost"), { recursive: true });
    await Bun.write(dir.file("config", "mcphost", "config.jsonc"), "{}");
    const text = await at(dir.path);
    expectRun(text, { stdout: /your config\s+\S+config\.jsonc\nfound from here\s+\(none\)\n/ });
  });

  test("takes one question at a time", async () => {
    for (const args of [["--schema", "--paths"], ["x"]])
      expectRun(await mcphost("config", ...args).run(), { code: 2, stderr: /config takes one of/ });
  });
});

test.each([
  ["30", [undefined, 200_000, undefined, 20_000]],
  ["120", [120_000, 200_000, undefined, 20_000]],
  ["0", [2_147_483_647, 2_147_483_647, undefined, 20_000]],
])("--timeout %s is the time for a start, too, where it is longer", async (timeout, expected) => {
  const mcpServers = {
    plain: { command: "a" },
    patient: { command: "b", startTimeoutMs: 200_000 },
    reached: { url: "http://127.0.0.1:9/mcp" },
    brief: { url: "http://127.0.0.1:9/mcp", startTimeoutMs: 20_000 },
  };
  const words = ["--config-json", JSON.stringify({ mcpServers }), "--timeout", timeout];
  const run = await mcphost("config", ...words).run();
  const { servers } = JSON.parse(run.stdout);
  expect(servers.map((one: { startTimeoutMs?: number }) => one.startTimeoutMs)).toEqual(expected);
});
