/** `mcphost gateway` as a program: what is said at once, and then stdin ends (cli.md, Commands). */
import { describe, expect, test } from "bun:test";

import { expectRun, mcphost } from "../harness.ts";
import { answerTo, enveloped, textOf, type Told } from "./gateway-kit.ts";
import { args, call, command, initialize, line, server } from "./gateway-stdio-kit.ts";

const probe = (id: string) => line({ id, method: "server/discover", params: enveloped() });

/** Runs it over all that is said at once, and reads what it answers. */
async function talk(...said: string[]): Promise<Told[]> {
  const run = await mcphost("gateway", ...server)
    .stdin(said.join(""))
    .run();
  expectRun(run, { stdout: /./ });
  return run.stdout
    .trimEnd()
    .split("\n")
    .map((one) => JSON.parse(one) as Told);
}

describe("what is said at once, and then stdin ends", () => {
  test("is answered, with bad JSON, CRLF, blank lines, a BOM and a last line without an end", async () => {
    const all = await talk(
      `\uFEFF${initialize.replace("\n", "\r\n")}`,
      "\r\n\n",
      "this is not JSON\r\n",
      line({ method: "notifications/initialized" }),
      call(2, "echo", { text: "zwei" }),
      line({ id: 3, method: "ping" }).trimEnd(),
    );
    expect(answerTo(all, 1)?.result.protocolVersion).toBe("2025-06-18");
    expect(textOf(answerTo(all, 2))).toBe("zwei");
    expect(answerTo(all, 3)?.result).toEqual({});
    expect(all.find(({ id }) => id === null)?.error?.code).toBe(-32700);
    expect(all).toHaveLength(4);
  });

  test("a probe decides nothing: it is answered again and again, and initialize still works", async () => {
    const all = await talk(
      probe("a"),
      probe("b"),
      initialize,
      call(2, "echo", { text: "old" }),
      probe("c"),
    );
    for (const id of ["a", "b", "c"])
      expect(answerTo(all, id)?.result.supportedVersions).toContain("2026-07-28");
    expect(textOf(answerTo(all, 2))).toBe("old");
  });

  test("modern requests need no greeting, and legacy ones do", async () => {
    const all = await talk(
      call(1, "echo", { text: "new" }, enveloped()),
      call(2, "echo", { text: "old" }),
      line({ id: 3, method: "ping" }),
      line({ id: 4, method: "ping", params: enveloped() }),
      line({
        id: 5,
        method: "tools/list",
        params: enveloped({}, { "io.modelcontextprotocol/protocolVersion": "2099-01-01" }),
      }),
      line({ id: 6, method: "initialize", params: enveloped() }),
    );
    expect(textOf(answerTo(all, 1))).toBe("new");
    expect(answerTo(all, 1)?.result.resultType).toBe("complete");
    expect(answerTo(all, 2)?.error?.code).toBe(-32600);
    expect(answerTo(all, 3)?.result).toEqual({});
    expect(answerTo(all, 4)?.error?.code).toBe(-32601);
    expect(answerTo(all, 5)?.error?.code).toBe(-32022);
    expect(answerTo(all, 6)?.error?.code).toBe(-32601);
  });

  test("nothing at all is an end with 0", async () => {
    expectRun(await mcphost("gateway", ...server).run(), {});
  });

  test("a positional is a mistake", async () => {
    expectRun(await mcphost("gateway", "x", ...server).run(), { code: 2, stderr: /takes no "x"/ });
  });

  test("B020 a server that ends before it is greeted is an error at once, and the others are served", async () => {
    const config = JSON.stringify({
      mcpServers: {
        good: { command, args },
        bad: {
          command: process.execPath,
          args: ["-e", "console.error('key is missing');process.exit(3)"],
        },
      },
    });
    const run = await mcphost("gateway", "--config-json", config)
      .stdin(
        initialize +
          call(2, "bad_any") +
          call(3, "good_echo", { text: "fine" }) +
          line({ id: 4, method: "tools/list" }),
      )
      .run();
    const all = run.stdout
      .trimEnd()
      .split("\n")
      .map((one) => JSON.parse(one) as Told);
    expect(run.code).toBe(0);
    expect(answerTo(all, 2)?.error).toMatchObject({
      code: -32603,
      data: { code: "server_start", server: "bad" },
    });
    expect(textOf(answerTo(all, 3))).toBe("fine");
    const names = answerTo(all, 4)?.result.tools.map(({ name }: { name: string }) => name);
    expect(names).toContain("good_echo");
    // The list of all servers cannot tell it; who looks for the missing tools reads why here, once.
    const told =
      'mcphost: warning: server "bad" exited with code 3 before it answered initialize; ';
    expect(run.stderr.split(told)).toHaveLength(2);
    expect(run.stderr).toContain("\n  stderr: key is missing\n");
    expect(run.ms).toBeLessThan(5000);
  });
});
