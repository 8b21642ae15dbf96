import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";
import { join } from "node:path";

import { HostError } from "../../lib/base/errors.ts";
import type { Facts } from "../../lib/base/errors.ts";
import { diagnosisText } from "../../lib/cli/doctor-text.ts";
import type { Examination, Finding } from "../../lib/cli/doctor-types.ts";
import { diagnose, namedVariables } from "../../lib/cli/doctor.ts";
import type { StopReport } from "../../lib/process/child.ts";
import { bunAlone, expectRun, type Invocation, mcphost, root, tempDir } from "../harness.ts";
import { liveProcesses, nothingLeft, waitFor } from "../processes.ts";

const started = {
  command: "server",
  args: [] as string[],
  path: "/usr/bin/server" as string | undefined,
  searched: "/usr/bin:/bin",
  cwd: "/work",
  cwdExists: true,
  env: ["PATH", "HOME"],
};

const well: Examination = {
  name: "one",
  started,
  ourEnv: ["PATH", "HOME", "GITHUB_TOKEN"],
  startMs: 100,
  era: "modern",
  revision: "2026-07-28",
  tools: 3,
  stop: { rung: "eof", exit: { exitCode: 0, signal: null } },
  stopMs: 5,
};

function failed(facts: Facts, more: Partial<Examination> = {}): Examination {
  const { startMs: _, tools: __, ...rest } = well;
  const error = new HostError("server_start", 'server "one" did not come up', { facts });
  return { ...rest, error, ...more };
}

function codes(seen: Examination): string[] {
  return diagnose(seen).findings.map(({ code }) => code);
}

function withLine(line: string, more: Partial<Examination> = {}): Examination {
  const [command = "", ...args] = line.split(" ");
  return { ...well, started: { ...started, command, args }, ...more };
}

const silent = failed({ timeoutMs: 60_000 });

function named(line: string) {
  return namedVariables([line], ["API_KEY", "DEBUG"], ["HOME"]);
}

function after(rung: StopReport["rung"], exitCode: number | null = 0) {
  return diagnose({ ...well, stop: { rung, exit: { exitCode, signal: null } } });
}

describe("the doctor's diagnosis", () => {
  test("is a line, whatever a server calls itself", () => {
    const serverInfo = { name: "one\nmcphost: all is well", version: "1\r2" };
    const text = diagnosisText(diagnose(well), { ...well, serverInfo });
    expect(text).toStartWith("one: ok, modern 2026-07-28, one mcphost: all is well 1 2, 3 tools");
    expect(text.match(/\n/g)).toHaveLength(1);
  });

  test("a good server has nothing wrong with it", () => {
    expect(diagnose(well)).toEqual({ name: "one", status: "ok", findings: [] });
  });

  test("what could not be used at all is a matter of configuration", () => {
    const unusable = new HostError(
      "config",
      "one: env.KEY: the environment variable KEY is not set",
      {
        hint: "set KEY",
      },
    );
    const { status, findings } = diagnose({ name: "one", ourEnv: [], unusable });
    expect(status).toBe("config");
    expect(findings).toEqual([
      { level: "error", code: "config", text: unusable.message, hint: "set KEY" },
    ]);
  });

  test("a command that is not there: on PATH, as a path, with spaces in it", () => {
    const missing = (command: string) =>
      diagnose(failed({}, { started: { ...started, command, path: undefined } })).findings;
    expect(missing("npx")).toMatchObject([
      { code: "not-found", text: expect.stringMatching(/searched: \/usr\/bin:\/bin/) },
    ]);
    expect(missing("./run")).toMatchObject([
      { code: "not-found", hint: expect.stringMatching(/chmod/) },
    ]);
    expect(missing("npx -y thing")).toMatchObject([
      { code: "not-found", hint: expect.stringMatching(/args/) },
    ]);
    expect(codes(failed({}, { started: { ...started, cwdExists: false } }))).toEqual(["no-folder"]);
  });

  test("a variable that its stderr names, that we have and did not pass", () => {
    const seen = failed({ exitCode: 1 }, { stderr: ["Error: GITHUB_TOKEN is required"] });
    const { status, findings } = diagnose(seen);
    expect(status).toBe("failed");
    expect(findings.map(({ code }) => code)).toEqual(["exits", "env-not-passed"]);
    expect(findings[1]?.hint).toContain("--env GITHUB_TOKEN,");
    expect(findings[0]?.text).toContain("Error: GITHUB_TOKEN is required");
  });

  test("names of variables in stderr", () => {
    expect(named("set API_KEY or MY_TOKEN; HOME is fine")).toEqual({
      ours: ["API_KEY"],
      unset: ["MY_TOKEN"],
    });
    expect(named("ENOENT in main(): api_key, XAPI_KEYS, MAX_SIZE")).toEqual({
      ours: [],
      unset: [],
    });
    expect(named("no DEBUG given")).toEqual({ ours: ["DEBUG"], unset: [] });
  });

  test.each([
    "sh: 1: cannot create /dev/stderr: No such device or address",
    "OSError: [Errno 6] No such device or address: '/dev/stdin'",
    "Error: ENXIO: no such device or address, open '/dev/fd/1'",
  ])("streams opened by name: %s", (line) => {
    expect(diagnose({ ...well, stderr: ["hello", line] }).findings).toMatchObject([
      { level: "warn", code: "stdio-by-name", hint: expect.stringContaining(">&2") },
    ]);
    expect(codes(failed({ exitCode: 1 }, { stderr: [line] }))).toEqual(["exits", "stdio-by-name"]);
    expect(codes({ ...well, stderr: ["open /dev/sda: no such device or address"] })).toEqual([]);
  });

  test("exits at once, silent, noise, Content-Length, slow", () => {
    expect(codes(failed({ exitCode: 1 }))).toEqual(["exits"]);
    expect(codes(failed({ signal: "SIGSEGV" }))).toEqual(["exits"]);
    expect(codes(silent)).toEqual(["silent"]);
    const noise = { count: 2, first: ["Starting…"], contentLength: false };
    expect(diagnose({ ...well, noise }).findings).toMatchObject([
      {
        level: "warn",
        code: "stdout-noise",
        text: expect.stringMatching(/2 lines on stdout.*"Starting…"/),
      },
    ]);
    expect(codes({ ...silent, noise: { ...noise, contentLength: true } })).toEqual([
      "silent",
      "content-length",
    ]);
    expect(codes({ ...well, startMs: 5001 })).toEqual(["slow-start"]);
  });

  test("what is odd in its tools", () => {
    expect(codes({ ...well, tools: 0 })).toEqual(["no-tools"]);
    const warnings = Array.from({ length: 9 }, (_, i) => `tool t${i} has no schema`);
    const { findings } = diagnose({ ...well, warnings });
    expect(findings).toHaveLength(6);
    expect(findings.at(-1)?.text).toContain("4 more");
    expect(codes({ ...well, error: new HostError("rpc_error", "the list failed") })).toEqual([
      "list-failed",
    ]);
  });

  test("how it ended", () => {
    expect(after("term").findings).toMatchObject([{ level: "warn", code: "needs-term" }]);
    expect(after("kill").findings).toMatchObject([{ level: "warn", code: "needs-kill" }]);
    expect(after("exited").findings).toMatchObject([
      { code: "ended-early", text: expect.stringMatching(/code 0/) },
    ]);
    expect(after("eof", 1).findings).toMatchObject([{ code: "exit-code" }]);
    expect(after("alive")).toMatchObject({ status: "failed", findings: [{ code: "alive" }] });
  });

  test("a container's stdin and terminal", () => {
    for (const line of [
      "docker run image",
      "docker run --rm -e A=b -v /x:/y image -i",
      "podman run --name x image",
      "docker run --interactive=false image",
      "env A=b docker run image",
      "/usr/bin/docker --context c run --rm image",
    ])
      expect([line, ...codes(withLine(line))]).toEqual([line, "docker-no-i"]);
    for (const line of [
      "docker run -i image",
      "docker run --rm -i image",
      "docker run -e A -i --rm image",
      "docker run --env=A --interactive image",
      "docker run --rm --init -v /x:/y -di image",
      "docker ps",
      "docker compose up",
    ])
      expect([line, ...codes(withLine(line))]).toEqual([line]);
    expect(codes(withLine("docker run -it image"))).toEqual(["terminal"]);
    expect(codes(withLine("docker run --rm -t image"))).toEqual(["docker-no-i", "terminal"]);
    expect(diagnose(withLine("docker run image", silent)).findings[0]?.level).toBe("error");
  });

  test("ssh and npx", () => {
    expect(codes(withLine("ssh host server"))).toEqual([]);
    expect(codes(withLine("ssh -t host server"))).toEqual(["terminal"]);
    expect(codes(withLine("ssh -tt host server -t"))).toEqual(["terminal"]);
    expect(codes(withLine("ssh host server -t"))).toEqual([]);
    const stuck = (line: string) => codes({ ...silent, started: withLine(line).started! });
    expect(stuck("ssh host server")).toEqual(["ssh-prompt", "silent"]);
    expect(stuck("ssh -o BatchMode=yes host server")).toEqual(["silent"]);
    expect(stuck("npx server")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npm exec server")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npx server -y")).toEqual(["npx-no-y", "silent"]);
    expect(stuck("npx -y server")).toEqual(["silent"]);
    expect(codes(withLine("npx server"))).toEqual([]);
    const ended = failed({ exitCode: 1 });
    expect(codes({ ...ended, started: withLine("npx server").started! })).toEqual(["exits"]);
  });

  test("variables that no shell will expand", () => {
    for (const line of ["server $HOME/x", "server ${ROOT}/x", "server --path=%USERPROFILE%"])
      expect([line, ...codes(withLine(line))]).toEqual([line, "unexpanded"]);
    for (const line of ["server a$b 5$ %d", "sh -c $HOME"])
      expect([line, ...codes(withLine(line))]).toEqual([line]);
  });
});

const faulty = join(import.meta.dir, "../fixtures/servers/faulty.ts");

function doctor(...fault: string[]) {
  return mcphost("doctor", "--json", "--", process.execPath, faulty, ...fault);
}

function doctorIn(timeout: string, fault: string) {
  return mcphost("doctor", "--json", "--timeout", timeout, "--", process.execPath, faulty, fault);
}

/** The one diagnosis, with the codes of its findings. */
async function look(invocation: Invocation) {
  const run = await invocation.run();
  await nothingLeft(run.marker);
  const [diagnosis] = JSON.parse(run.stdout);
  return {
    ...diagnosis,
    code: run.code,
    codes: [...new Set(diagnosis.findings.map((one: Finding) => one.code))],
  };
}

describe("doctor", () => {
  test("says that a server is well, and what it is", async () => {
    const run = await mcphost("doctor", "--", process.execPath, faulty, "none").run();
    expectRun(run, {
      stdout: /^server: ok, legacy 2025-11-25, fixture \S+, 1 tool, started in \d+ ms\n$/,
    });
    expect(await look(doctor("none"))).toMatchObject({
      code: 0,
      name: "server",
      status: "ok",
      era: "legacy",
      revision: "2025-11-25",
      tools: 1,
      stop: { rung: "eof" },
      findings: [],
    });
  });

  test.each([
    ["crash-before-initialize", 3, ["exits", "env-not-passed"]],
    ["crash-during-initialize", 3, ["exits"]],
    ["crash-after-initialize", 3, ["list-failed"]],
    ["crash-on-list", 3, ["list-failed"]],
    ["content-length-only", 3, ["silent", "content-length"]],
    ["content-length", 0, ["content-length"]],
    ["silent", 3, ["silent"]],
    ["silent-list", 3, ["list-failed"]],
    ["banner", 0, ["stdout-noise"]],
    ["no-schema", 0, ["tools"]],
    ["exit-1-on-eof", 0, ["exit-code"]],
    ["crash-on-probe", 0, []],
  ] as const)("sees the fault %s", async (fault, code, expected) => {
    const invocation = doctorIn("1.2", fault);
    expect(await look(invocation.env({ FIXTURE_KEY: "x" }))).toMatchObject({
      code,
      codes: expected,
    });
  });

  test("sees what needs a signal to end, and leaves nothing of it", async () => {
    const config = {
      mcpServers: {
        stubborn: { command: process.execPath, args: [faulty, "stubborn"], stopMs: 200 },
        twin: { command: process.execPath, args: [faulty, "stubborn"], stopMs: 200 },
      },
    };
    const run = await mcphost("doctor", "--config-json", JSON.stringify(config)).run();
    expectRun(run, {
      stdout: /^stubborn: ok.*\n  warning: .*SIGKILL[^]*\ntwin: ok[^]*same as stubborn/,
    });
    await nothingLeft(run.marker);
  });

  test("a variable that we have is named, with the flag that passes it", async () => {
    const run = await mcphost("doctor", "--", process.execPath, faulty, "crash-before-initialize")
      .env({ FIXTURE_KEY: "s3cret-value" })
      .run();
    expectRun(run, { code: 3, stdout: /--env FIXTURE_KEY,/ });
    expect(run.stdout + run.stderr).not.toContain("s3cret-value");
  });

  test("a container without -i, by a docker that does as docker does", async () => {
    await using dir = await tempDir();
    const script = `#!/bin/sh
case " $* " in *" -i "*) ;; *) exec </dev/null ;; esac
exec '${process.execPath}' '${faulty}' none
`;
    await Bun.write(dir.file("docker"), script);
    await chmod(dir.file("docker"), 0o755);
    const PATH = `${dir.path}:${process.env["PATH"]}`;
    const run = (...args: string[]) =>
      look(mcphost("doctor", "--json", "--", "docker", "run", ...args).env({ PATH }));
    expect(await run("--rm", "image")).toMatchObject({
      code: 3,
      // That its stdin is closed can be seen before that it has ended.
      findings: [
        { level: "error", code: "docker-no-i" },
        { code: expect.stringMatching(/^(exits|start)$/) },
      ],
    });
    expect(await run("--rm", "-i", "image")).toMatchObject({ code: 0, findings: [] });
  });

  test("a command or a folder that is not there", async () => {
    const missing = await look(mcphost("doctor", "--json", "--", "no-such-command-here"));
    expect(missing).toMatchObject({ code: 3, status: "failed", codes: ["not-found"] });
    const lost = mcphost("doctor", "--json", "--cwd", "/no/such/folder", "--", process.execPath);
    expect(await look(lost)).toMatchObject({ code: 3, codes: ["no-folder"] });
  });

  test("configuration alone is 2; a failed server is 3; each is there in config order", async () => {
    await using dir = await tempDir();
    const good = { command: process.execPath, args: [faulty, "none"] };
    const servers = {
      unset: { ...good, env: { KEY: "${NO_SUCH_VARIABLE}" } },
      bad: { args: [] },
      well: good,
      off: { ...good, disabled: true },
    };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: servers }));
    const at = (...args: string[]) =>
      mcphost("doctor", "-c", "c.json", ...args)
        .cwd(dir.path)
        .run();
    const all = await at();
    expectRun(all, { code: 2, stdout: /^unset: cannot be used[^]*\nwell: ok[^]*\nbad: cannot/ });
    expect(all.stdout).not.toContain("off:");
    expectRun(await at("well"), { stdout: /^well: ok/ });
    expectRun(await at("off"), { stdout: /^off: ok/ });
    expectRun(await at("wel"), {
      code: 2,
      stderr: /no server is called "wel"\n  did you mean well\?/,
    });
  });

  test("counts, and keeps for completion, what is offered", async () => {
    await using dir = await tempDir();
    const many = [...bunAlone, join(root, "test/fixtures/cli/many.ts")];
    const [command, ...args] = many;
    const servers = {
      some: { command, args, allowedTools: ["echo", "need", "ecko"], deniedTools: ["some_need"] },
      none: { command, args, allowedTools: [] },
    };
    await Bun.write(dir.file("c.json"), JSON.stringify({ mcpServers: servers }));
    const at = (...words: string[]) =>
      mcphost(...words, "-c", "c.json")
        .cwd(dir.path)
        .home(dir.path);
    expectRun(await at("doctor").run(), {
      stdout:
        /^some: ok, .*, 1 tool \(11 more not offered\), .*\n.*allowedTools: "ecko" is.*\nnone: ok, .*, 0 tools \(12 more[^]*none of its 12 tools\n/,
    });
    const line = "mcphost call -c c.json some_";
    const completed = await mcphost("completion", "bash", "--", line)
      .cwd(dir.path)
      .home(dir.path)
      .run();
    expectRun(completed, { stdout: /^words\nsome_echo \n$/ });
  });

  test("what was found and is not trusted is not started", async () => {
    await using dir = await tempDir();
    const marker = dir.file("started");
    const servers = { evil: { command: "touch", args: [marker] } };
    await Bun.write(dir.file(".mcp.json"), JSON.stringify({ mcpServers: servers }));
    const run = await mcphost("doctor").cwd(dir.path).run();
    expectRun(run, { code: 2, stdout: /^evil: cannot be used[^]*mcphost trust/ });
    expect(await Bun.file(marker).exists()).toBe(false);
  });

  test("is interrupted as everything else is", async () => {
    await using going = await doctor("silent").start();
    await waitFor(async () =>
      (await liveProcesses(going.marker)).some(
        ({ pid, command }) => pid !== going.pid && command.includes("silent"),
      ),
    );
    going.kill("SIGINT");
    expect((await going.done).code).toBe(130);
    await nothingLeft(going.marker);
  });
});

test("--max-time names the server that was looked at", async () => {
  const run = await mcphost("doctor", "--max-time", "500ms", "--", "sleep", "20").run();
  expectRun(run, {
    code: 4,
    stderr: 'mcphost: given up after 0.5 s (--max-time) while server "server" was looked at\n',
  });
  await nothingLeft(run.marker);
});
