/** Reported faults of starts that fail, each told with its reason. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, mkdir } from "node:fs/promises";

import { expectRun, mcphost, sourceProgram, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, config, entry, faulty, tools } from "./kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B077 B019 a server that ends before it is greeted", () => {
  test.each<[fault: string, said: RegExp]>([
    ["exit-1", /exited with code 1 .*\n.*API_KEY is required/s],
    ["exit-0", /exited with code 0 .*\n.*API_KEY is required/s],
    ["exit-silently", /exited with code 1 .*\n.*said nothing on stderr/s],
    [
      "exit-on-initialize",
      /exited with code 7 before it answered initialize\n.*API_KEY is required/s,
    ],
    ["killed-at-start", /SIGKILL.*API_KEY is required/s],
    ["killed-on-initialize", /SIGSEGV.*API_KEY is required/s],
  ])("%s: soon, with how it ended and its last words", async (fault, said) => {
    for (const run of [
      await call(`life.${fault}`, "echo", "message=x").run(),
      await tools(`life.${fault}`).run(),
    ]) {
      expectRun(run, { code: 3, stderr: said });
      expect(run.stderr).toContain('server "server"');
      expect(run.ms).toBeLessThan(10_000);
    }
  });

  test("a launcher that leaves its server behind is told of as that, and both are ended", async () => {
    await using home = await tempDir();
    const server = ["sh", "-c", '"$@" <&3 & exit 0', "sh", ...faulty("plain.tells", home.path)];
    const launcher = ["sh", "-c", 'exec 3<&0; exec "$@"', "sh", ...server];
    const run = await mcphost("call", "echo", "message=x", "--", ...launcher).run();
    expectRun(run, { code: 3, stderr: /exited with code 0 .*\n.*goes on without it.*exec/s });
    await nothingLeft(home.path, 20_000);
  });

  test("as JSON the reason stands in facts", async () => {
    const run = await call("life.exit-1", "echo", "--json").run();
    expect(JSON.parse(run.stderr).error).toMatchObject({
      code: "server_start",
      server: "server",
      exitCode: 1,
      stderr: ["API_KEY is required"],
    });
  });

  test("B019 each server has its own reason", async () => {
    const servers = {
      key: entry("life.exit-1"),
      gone: { command: "/no/such/server" },
      folder: { ...entry("life.pid"), cwd: "/no/such/folder" },
      unset: { ...entry("life.pid"), env: { TOKEN: "${NO_SUCH_TOKEN}" } },
      far: { url: "http://127.0.0.1:1/mcp" },
      good: entry("life.pid"),
    };
    const run = await mcphost("tools", "--json", ...config(servers)).run();
    expect(run.code).toBe(3);
    expect(JSON.parse(run.stdout).every((tool: { server: string }) => tool.server === "good")).toBe(
      true,
    );
    const errors = run.stderr
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).error);
    const of = (server: string) => errors.find((error) => error.server === server);
    expect(errors).toHaveLength(5);
    expect(of("key")).toMatchObject({ code: "server_start", stderr: ["API_KEY is required"] });
    expect(of("gone").message).toContain("/no/such/server does not exist");
    expect(of("folder").message).toContain("/no/such/folder does not exist");
    expect(of("unset").message).toContain("NO_SUCH_TOKEN is not set");
    expect(of("far")).toMatchObject({ code: "server_start", errno: "ECONNREFUSED" });
  });
});

test("B022 more servers than there are descriptors: the errno of each that failed, and the tools of the others", async () => {
  const limited = ["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", ...sourceProgram];
  const command = faulty("plain.tells").join(" ");
  const servers = Array.from({ length: 14 }, (_, n) => ["-s", `s${n}=${command}`]).flat();
  const run = await mcphost("tools", ...servers)
    .program(limited)
    .run();
  const failed =
    run.stderr.match(/server "s\d+" cannot be started: .* \(EMFILE\)\n {2}too many files .*\n/g) ??
    [];
  const listed = run.stdout.match(/^s\d+_echo\(/gm) ?? [];
  expect({ code: run.code, all: failed.length + listed.length }).toEqual({ code: 3, all: 14 });
  expect(Math.min(failed.length, listed.length)).toBeGreaterThan(0);
  expect(run.stderr.replaceAll("mcphost: ", "")).toBe(failed.join(""));
});

describe.concurrent("B080 O014 commands that are not found or may not run", () => {
  const minimal = { PATH: "/usr/bin:/bin" };

  test("a command elsewhere: command, PATH and server are named, and others start", async () => {
    const servers = { missing: { command: "mcphost-no-such-npx" }, good: entry("life.pid") };
    const run = await mcphost("tools", ...config(servers))
      .env(minimal)
      .run();
    expectRun(run, {
      code: 3,
      stdout: /^good_echo/,
      stderr: /"missing".*"mcphost-no-such-npx".*\/usr\/bin:\/bin/,
    });
  });

  test("PATH of the server's own env is where it is looked for, and nowhere else", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("npx-like"), `#!/bin/sh\nexec "$@"\n`);
    await chmod(dir.file("npx-like"), 0o755);
    const server = { command: "npx-like", args: faulty("life.pid") };
    const own = { ...server, env: { PATH: `${dir.path}:/usr/bin:/bin` } };
    expectRun(
      await mcphost("call", "echo", "message=x", ...config({ s: own }))
        .env(minimal)
        .run(),
      { stdout: "x\n" },
    );
    const other = { ...server, env: { PATH: "/nowhere" } };
    const run = await mcphost("call", "echo", "message=x", ...config({ s: other }))
      .env({ PATH: `${dir.path}:/usr/bin` })
      .run();
    expectRun(run, { code: 3, stderr: /"npx-like".*\(\/nowhere\)/ });
  });

  test("found, but the interpreter behind its env is not", async () => {
    await using dir = await tempDir();
    await Bun.write(dir.file("npx-like"), "#!/usr/bin/env mcphost-no-such-node\n");
    await Bun.write(dir.file("direct"), "#!/mcphost/no/such/node\n");
    for (const name of ["npx-like", "direct"]) await chmod(dir.file(name), 0o755);
    const env = await mcphost("tools", ...config({ s: { command: dir.file("npx-like") } }))
      .env(minimal)
      .run();
    expectRun(env, { code: 3, stderr: /"s".*127.*mcphost-no-such-node/s });
    const direct = await mcphost("tools", ...config({ s: { command: dir.file("direct") } }))
      .env(minimal)
      .run();
    expectRun(direct, { code: 3, stderr: /interpreter that .*direct names is missing/ });
  });

  test("a folder that is not there is told apart from a command that is not", async () => {
    const [command, args] = ["sh", ["-c", "exit 0"]];
    const folder = await mcphost(
      "tools",
      ...config({ s: { command, args, cwd: "/no/such/folder" } }),
    ).run();
    expectRun(folder, { code: 3, stderr: /its folder \/no\/such\/folder does not exist/ });
    expect(folder.stderr).not.toContain("not found");
    const both = await mcphost("tools", ...config({ s: { command: "/no/such/x" } })).run();
    expectRun(both, { code: 3, stderr: /\/no\/such\/x does not exist/ });
  });

  test("O014 a file that may not be executed: permission denied, and the path", async () => {
    await using dir = await tempDir();
    await mkdir(dir.file("bin"));
    await Bun.write(dir.file("bin/server"), "\u007fELF");
    for (const command of [dir.file("bin/server"), "./bin/server", "server"]) {
      const run = await mcphost(
        "call",
        "echo",
        ...config({ s: { command, cwd: dir.path, env: { PATH: dir.file("bin") } } }),
      ).run();
      expectRun(run, { code: 3, stderr: /permission denied: .*bin\/server.*\n.*chmod \+x/ });
    }
    const folder = await mcphost("tools", "--", dir.path).run();
    expectRun(folder, { code: 3, stderr: /is a folder/ });
  });
});
