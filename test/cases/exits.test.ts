/** Reported faults of exit codes and of what stands on stdout when something fails. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { bunAlone, expectRun, mcphost, root, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, config, entry, faulty, hostOver } from "./kit.ts";

setDefaultTimeout(60_000);

const program = (...args: string[]) => [...bunAlone, `${root}/mcphost.ts`, ...args];

async function shell(script: string, argv: string[]) {
  await using home = await tempDir();
  const proc = Bun.spawn(["bash", "-c", script, "bash", ...argv], {
    env: { PATH: process.env["PATH"], HOME: home.path },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([proc.stdout.text(), proc.stderr.text(), proc.exited]);
  await nothingLeft(home.path, 20_000);
  return { stdout, stderr };
}

describe.concurrent("B004 an unknown tool", () => {
  test("in a list of a config is a warning, and the others work", async () => {
    for (const key of ["allowedTools", "deniedTools"]) {
      const names = key === "allowedTools" ? ["echo", "no_such_tool"] : ["no_such_tool"];
      const words = config({ s: entry("plain.tells", { [key]: names }) });
      const list = await mcphost("tools", ...words).run();
      expectRun(list, { stdout: /^echo\(/, stderr: /warning: .*no_such_tool/ });
      expect((await mcphost("call", "echo", "message=x", ...words).run()).stdout).toBe("x\n");
    }
  });

  test("in a call, a pattern, or a flag: near names, no crash", async () => {
    expectRun(await call("plain.tells", "ecko").run(), {
      code: 2,
      stderr: /no tool is called "ecko"\n.*echo/,
    });
    expectRun(await call("plain.tells", "s.ecko").run(), { code: 2, stderr: /ecko/ });
    expectRun(await mcphost("tools", "ecko", "--", ...faulty("plain.tells")).run(), {
      code: 2,
      stderr: /echo/,
    });
    const flags = await call("plain.tells", "echo", "message=x", "--allow-tool", "no_such").run();
    expect({ code: flags.code, stdout: flags.stdout }).toEqual({ code: 0, stdout: "x\n" });
    for (const name of ["__proto__", "constructor", "x".repeat(10_000), "a b", "*"])
      expect((await call("plain.tells", name).run()).code).toBe(2);
    await using host = await hostOver({ s: entry("plain.tells", { allowedTools: ["no_such"] }) });
    expect((await host.tools()).tools).toEqual([]);
  });
});

describe.concurrent(
  "B005 O026 every failure has its code, and stdout holds the result alone",
  () => {
    const dead = entry("life.exit-1");
    const good = entry("plain.tells");

    test.each<[what: string, run: () => ReturnType<typeof mcphost>, code: number, stderr: RegExp]>([
      ["an unknown tool", () => call("plain.tells", "nope"), 2, /nope/],
      [
        "an unknown server",
        () => mcphost("call", "nope.echo", ...config({ a: good, b: good })),
        2,
        /nope/,
      ],
      ["an unknown command", () => mcphost("cal"), 2, /call/],
      ["an unknown flag", () => call("plain.tells", "echo", "--nope"), 2, /--nope/],
      ["isError", () => call("plain.fails", "fail"), 1, /^it failed\n$/],
      [
        "O026 an unknown tool as a result",
        () => call("plain.unknown-as-result", "gone"),
        1,
        /Tool gone not found/,
      ],
      [
        "O026 an unknown tool as an error",
        () => call("plain.unknown-as-error", "gone"),
        1,
        /-32602: Unknown tool: gone/,
      ],
      ["a call of a dead server", () => mcphost("call", "echo", ...config({ dead })), 3, /API_KEY/],
      ["the list of a dead server", () => mcphost("tools", ...config({ dead })), 3, /API_KEY/],
      [
        "a list that is refused",
        () =>
          mcphost(
            "tools",
            "--",
            ...faulty(
              "ids.literal",
              '{"jsonrpc":"2.0","id":ID,"error":{"code":-5,"message":"no list"}}',
              "tools/list",
            ),
          ),
        3,
        /answered tools\/list with error -5: no list/,
      ],
      [
        "a check of a dead server",
        () => mcphost("servers", "--check", ...config({ dead })),
        3,
        /API_KEY/,
      ],
    ])("%s", async (what, build, code, stderr) => {
      const run = await build().run();
      expect({ what, code: run.code }).toEqual({ what, code });
      expect(run.stderr).toMatch(stderr);
      if (!what.startsWith("a check")) expect(run.stdout).toBe("");
      await nothingLeft(run.marker, 20_000);
    });

    test("of two servers with one dead: what can be had, the other named, exit 3", async () => {
      const run = await mcphost("tools", ...config({ dead, good })).run();
      expectRun(run, { code: 3, stdout: /^good_echo/, stderr: /"dead".*\n.*API_KEY/ });
      const check = await mcphost("servers", "--check", ...config({ dead, good })).run();
      expectRun(check, {
        code: 3,
        stdout: /dead +stdio +failed[^]*good +stdio +ready/,
        stderr: /"dead"/,
      });
      const doctor = await mcphost("doctor", ...config({ dead, good })).run();
      expectRun(doctor, { code: 3, stdout: /dead: failed[^]*good: ok/ });
    });

    test("O026 the two kinds stay distinguishable as JSON", async () => {
      const result = await call("plain.unknown-as-result", "gone", "--json").run();
      expect(JSON.parse(result.stdout)).toMatchObject({ isError: true });
      expect(JSON.parse(result.stderr).error).toMatchObject({ code: "tool_error" });
      const error = await call("plain.unknown-as-error", "gone", "--json").run();
      expect(error.stdout).toBe("");
      expect(JSON.parse(error.stderr).error).toMatchObject({ code: "rpc_error", rpcCode: -32602 });
      await using host = await hostOver({
        a: entry("plain.unknown-as-result"),
        b: entry("plain.unknown-as-error"),
      });
      expect(await host.call({ tool: "a.gone" })).toMatchObject({
        status: "failed",
        result: { isError: true },
      });
      expect(await host.call({ tool: "b.gone" })).toMatchObject({
        status: "failed",
        error: { facts: { rpcCode: -32602 } },
      });
    });
  },
);

describe.concurrent("G001 a reader that leaves", () => {
  test("a long list, as JSON and as text: quiet, exit 0, and the servers are stopped", async () => {
    for (const flags of [["--json"], []]) {
      const script = '"$@" | head -c 100 | wc -c; echo "${PIPESTATUS[0]}"';
      const run = await shell(script, program("tools", ...flags, "--", ...faulty("lists.many")));
      expect(run).toEqual({ stdout: expect.stringMatching(/^\s*100\n0\n$/), stderr: "" });
    }
  });

  test("a large result: head, a reader that sleeps first, a full device", async () => {
    const big = program("call", "size", "bytes=5000000", "--", ...faulty("wire.sized"));
    expect(await shell('"$@" | head -c 10; echo " ${PIPESTATUS[0]}"', big)).toEqual({
      stdout: "xxxxxxxxxx 0\n",
      stderr: "",
    });
    expect(await shell('"$@" | (sleep 1; wc -c); echo "${PIPESTATUS[0]}"', big)).toEqual({
      stdout: expect.stringMatching(/^\s*5000001\n0\n$/),
      stderr: "",
    });
    const full = await shell('"$@" > /dev/full; echo $?', big);
    expect(full).toEqual({
      stdout: "8\n",
      stderr: expect.stringMatching(/^mcphost: .*stdout.*ENOSPC/),
    });
  });

  test("closed from the start, and a stubborn server behind it", async () => {
    const stubborn = program("call", "echo", "message=x", "--", ...faulty("life.stubborn"));
    expect(await shell('"$@" | true; echo "${PIPESTATUS[0]}"', stubborn)).toEqual({
      stdout: "0\n",
      stderr: "",
    });
    const closed = await shell('"$@" >&-; echo "$?" >&2', stubborn);
    expect(closed.stdout).toBe("");
    expect(closed.stderr).not.toMatch(/at .*\.ts:/);
  });
});
