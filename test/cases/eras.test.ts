/** Reported faults of finding out the era of a server. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { verdictKey, verdictStore } from "../../lib/client/eras.ts";
import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { echo, echoOf } from "./eras-kit.ts";
import { entry, faulty, hostOver, messagesIn, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

test.each(["legacy", "modern"] as const)(
  "what another run learns of the server meanwhile (%s) changes nothing of what is said",
  async (era) => {
    await using dir = await tempDir();
    const [command = "", ...args] = faulty("eras.learned-meanwhile", dir.path);
    const store = verdictStore({ folder: dir.path, log: () => {} });
    const revision = era === "legacy" ? "2025-11-25" : "2026-07-28";
    await store.write(verdictKey({ command, args }), { era, revision });
    const run = await mcphost("call", "echo", "message=hello", "--", command, ...args).run();
    expectRun(run, { ...echo, stderr: /no message \(not JSON\): Server is running/ });
  },
);

describe.concurrent("B011 a legacy server that is silent on the probe", () => {
  test("is greeted after a short time of the probe's own, and that is remembered", async () => {
    await using home = await tempDir();
    const words = ["call", "echo", "message=hello", "--", ...faulty("eras.deaf-until-initialize")];
    const first = await mcphost(...words)
      .home(home.path)
      .run();
    expectRun(first, echo);
    expect(first.ms).toBeLessThan(10_000);
    const file = home.file("seen");
    const second = await mcphost(
      ...words.slice(0, 3),
      "--env",
      `FIXTURE_SEEN=${file}`,
      ...words.slice(3),
    )
      .home(home.path)
      .run();
    expectRun(second, echo);
    expect((await messagesIn(file))[0]!["method"]).toBe("initialize");
    await nothingLeft(first.marker, 20_000);
  });

  test("by the module, within the probe's time and its start", async () => {
    await using host = await hostOver({ s: entry("eras.deaf-until-initialize") });
    const started = performance.now();
    expect(textOf(await host.call({ tool: "echo", arguments: { message: "hi" } }))).toBe("hi");
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(host.servers()).toMatchObject([{ era: "legacy" }]);
  });
});

const odd: Record<string, string> = {
  ...Object.fromEntries(
    [-32602, -32603, -32600, -32601, -32700, -32000, -32022, 0, 1, 404].map((code) => [
      `error ${code}`,
      `{"jsonrpc":"2.0","id":ID,"error":{"code":${code},"message":"no"}}`,
    ]),
  ),
  "error with id null": '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}',
  "-32600 with id null": '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}',
  "an error without id": '{"jsonrpc":"2.0","error":{"code":-32601,"message":"no"}}',
  "an error that is a text": '{"jsonrpc":"2.0","id":ID,"error":"no"}',
  "an error without anything": '{"jsonrpc":"2.0","id":ID,"error":{}}',
  ...Object.fromEntries(
    [
      "{}",
      "null",
      '"ok"',
      "42",
      "[]",
      "true",
      '{"supportedVersions":"2026-07-28"}',
      '{"supportedVersions":[1]}',
      '{"supportedVersions":[]}',
      '{"protocolVersion":"2025-06-18"}',
      '{"resultType":"input_required"}',
    ].map((result) => [`the result ${result}`, `{"jsonrpc":"2.0","id":ID,"result":${result}}`]),
  ),
  "neither result nor error": '{"jsonrpc":"2.0","id":ID}',
  "a line that is no message": "what?",
  "an HTML page": "<html>404 not found</html>",
};

describe.concurrent(
  "B013 O002 O011 whatever is no DiscoverResult leads to initialize on the same link",
  () => {
    test.each(Object.entries(odd))("%s", async (_, answer) => {
      const { run, methods } = await echoOf(faulty("eras.odd-probe", answer));
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 0, stdout: "hello\n" });
      // One process saw it all: nothing was started again.
      expect(methods.slice(0, 3)).toEqual([
        "server/discover",
        "initialize",
        "notifications/initialized",
      ]);
      expect(methods.filter((method) => method === "initialize")).toHaveLength(1);
    });
  },
);

describe.concurrent("B014 a flood on stderr for the probe", () => {
  test("does no harm and is not shown", async () => {
    const { run } = await echoOf(faulty("eras.flood-on-probe"));
    expectRun(run, echo);
  });

  test("nor is it in the reason of a later failure that has nothing to do with it", async () => {
    const run = await mcphost("call", "nope", "--", ...faulty("eras.flood-on-probe")).run();
    expectRun(run, { code: 2, stderr: /nope/ });
    expect(run.stderr).not.toContain("validation");
  });
});

describe.concurrent("what comes first", () => {
  test("O001 the probe is the very first message, alone until it is answered", async () => {
    const server = faulty("eras.pinning");
    expectRun(await mcphost("call", "fault", "--", ...server).run(), { stdout: "right\n" });
    expectRun(await mcphost("tools", "--", ...server).run(), { stdout: "fault()\narray()\n" });
    await using host = await hostOver({ s: entry("eras.pinning") });
    await host.tools();
    expect(host.servers()).toMatchObject([{ era: "modern", revision: "2026-07-28" }]);
  });

  test("O001 many callers at once send nothing before it either", async () => {
    await using host = await hostOver({ s: entry("eras.pinning") });
    const calls = Array.from({ length: 10 }, () => host.call({ tool: "fault" }));
    expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map(() => "right"));
  });

  test("O004 every request carries the whole envelope", async () => {
    expectRun(await mcphost("call", "fault", "--", ...faulty("eras.lax")).run(), {
      stdout: "right\n",
    });
    await using host = await hostOver({ s: entry("eras.lax") });
    expect((await host.tools()).tools).toHaveLength(2);
    for (const validate of [true, false])
      expect(textOf(await host.call({ tool: "fault", validate }))).toBe("right");
  });

  test("O004 B017 being served is no sign of support: the list of versions decides", async () => {
    const run = await mcphost("call", "fault", "--", ...faulty("eras.lax-other-version")).run();
    expectRun(run, { code: 3, stderr: /server "server" refused initialize.*initialize is gone/s });
  });

  test("O022 a tool's result is passed through as each era has it", async () => {
    const words = ["call", "array", "--json", "--protocol"];
    const modern = await mcphost(...words, "modern", "--", ...faulty("eras.both-eras")).run();
    expectRun(modern, {
      stdout: '{"resultType":"complete","content":[],"structuredContent":[1,2,3]}\n',
    });
    const legacy = await mcphost(...words, "legacy", "--", ...faulty("eras.both-eras")).run();
    expectRun(legacy, { stdout: '{"content":[],"structuredContent":{"result":[1,2,3]}}\n' });
  });
});
