/** Reported faults of expansion in configs, by the real program and what servers see. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { ours, seen } from "./config-kit.ts";
import { config, entry } from "./kit.ts";

setDefaultTimeout(30_000);

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
