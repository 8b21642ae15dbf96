/** The doctor by the program, of one server: that it is well, or which fault it has. */
import { describe, expect, test } from "bun:test";
import { chmod } from "node:fs/promises";

import type { Finding } from "../../lib/cli/doctor-types.ts";
import { expectRun, type Invocation, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { doctor, faulty } from "./doctor-kit.ts";

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
});
