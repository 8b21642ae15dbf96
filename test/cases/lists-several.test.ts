/** Reported faults of lists of several servers, and of very many tools. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { config, entry, faulty } from "./kit.ts";
import { listOf } from "./lists-kit.ts";

setDefaultTimeout(60_000);

describe.concurrent("B113 several servers", () => {
  test.each([
    ["0", "400"],
    ["400", "0"],
  ])("the union in the order of the config, whichever is faster (%s, %s)", async (a, b) => {
    const servers = { one: entry("lists.slow", {}, a), two: entry("lists.slow", {}, b) };
    expect((await listOf(config(servers))).map(({ name }) => name)).toEqual([
      "one_echo",
      "one_search",
      "two_echo",
      "two_search",
    ]);
  });

  test("one that is there for its prompts is no matter to tools, and is told of once by the doctor", async () => {
    const servers = { a: entry("lists.prompts-only"), b: entry("lists.slow", {}, "0") };
    const words = config(servers);
    expectRun(await mcphost("tools", ...words).run(), { stdout: /^b_echo.*\nb_search\(\)\n$/ });
    expectRun(await mcphost("prompts", "-q", ...words).run(), { stdout: "a_p()\n" });
    const { code, stdout } = await mcphost("doctor", "a", ...words).run();
    expect({ code, warnings: stdout.match(/ {2}warning: .*/g) }).toEqual({
      code: 0,
      warnings: ["  warning: it offers no tools"],
    });
  });

  test("one that fails hides none, wherever it stands", async () => {
    const good = entry("lists.slow", {}, "0");
    const bad = { command: "/no/such/server" };
    for (const servers of [
      { bad, good },
      { good, bad },
    ]) {
      const run = await mcphost("tools", ...config(servers)).run();
      expectRun(run, {
        code: 3,
        stdout: "good_echo(message: string)\ngood_search()\n",
        stderr: /"bad"/,
      });
    }
  });
});

describe("many", () => {
  test("10,000 tools are listed and the last one is called", async () => {
    const words = ["--", ...faulty("lists.many")];
    const run = await mcphost("tools", ...words).run();
    expect({ code: run.code, lines: run.stdout.split("\n").length, stderr: run.stderr }).toEqual({
      code: 0,
      lines: 10_001,
      stderr: "",
    });
    expectRun(await mcphost("call", "tool9999", ...words).run(), { stdout: '["tool9999",{}]\n' });
    expectRun(await mcphost("call", "tool10000", ...words).run(), { code: 2, stderr: /tool1000/ });
    const two = config({ a: entry("lists.many"), b: entry("lists.many") });
    expectRun(await mcphost("call", "b_tool9999", ...two).run(), { stdout: '["tool9999",{}]\n' });
  });

  test("50 servers, three of them bad: the good ones are listed side by side, each bad one is named with its reason", async () => {
    const good = Array.from({ length: 47 }, (_, n) => [`good${n}`, entry("lists.slow", {}, "300")]);
    const schema = JSON.stringify([{ name: "odd", inputSchema: { type: "int" } }]);
    const servers = {
      broken: entry("life.exit-1"),
      hanging: entry("lists.hanging", { startTimeoutMs: 3000 }),
      schema: entry("lists.listed", {}, schema),
      ...Object.fromEntries(good),
    };
    const run = await mcphost("tools", ...config(servers)).run();
    const lines = run.stdout.trimEnd().split("\n");
    expect(run.code).toBe(3);
    expect(lines).toHaveLength(47 * 2 + 1);
    expect(lines[0]).toStartWith("schema_odd(");
    expect(lines.slice(1)).toEqual(
      good.flatMap(([name]) => [`${name}_echo(message: string)`, `${name}_search()`]),
    );
    expect(run.stderr).toMatch(/"broken" exited with code 1[^]*API_KEY is required/);
    expect(run.stderr).toMatch(/"hanging" did not answer initialize in 3/);
    expect(run.stderr).toMatch(/\[schema\] tool "odd": .*"int"/);
    expect(run.stderr).not.toMatch(/good\d/);
    // One after the other the lists alone would take 14 s, and starting as long again.
    expect(run.ms).toBeLessThan(25_000);
    await nothingLeft(run.marker, 20_000);
  });
});
