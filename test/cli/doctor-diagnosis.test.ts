/** The doctor's diagnosis: what it finds in how a server started, spoke and ended. */
import { describe, expect, test } from "bun:test";

import { HostError } from "../../lib/base/errors.ts";
import { diagnosisText } from "../../lib/cli/doctor-text.ts";
import { diagnose, namedVariables } from "../../lib/cli/doctor.ts";
import type { StopReport } from "../../lib/process/child.ts";
import { codes, failed, silent, started, well } from "./doctor-kit.ts";

function named(line: string) {
  return namedVariables([line], ["API_KEY", "DEBUG"], ["HOME"]);
}

function after(rung: StopReport["rung"], exitCode: number | null = 0) {
  return diagnose({ ...well, stop: { rung, exit: { exitCode, signal: null } } });
}

const missing = (command: string) =>
  diagnose(failed({}, { started: { ...started, command, path: undefined } })).findings;

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
});
