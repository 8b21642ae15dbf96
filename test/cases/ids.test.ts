/** Reported faults of ids: of one that is always 0, of none, and of two that look alike. */
import { describe, expect, setDefaultTimeout, test } from "bun:test";

import { expectRun, mcphost, tempDir } from "../harness.ts";
import { nothingLeft } from "../processes.ts";
import { call, config, entry, faulty, hostOver, messagesIn, textOf } from "./kit.ts";

setDefaultTimeout(30_000);

describe.concurrent("B052 a server that always answers with id 0", () => {
  test("is told of soon, and nothing is taken for an answer", async () => {
    const run = await call("ids.always-zero", "fault").run();
    // The last error says it, not only a warning above it.
    expectRun(run, {
      code: 3,
      stderr: /did not answer initialize .*under id 0, which was never sent/,
    });
    expect(run.ms).toBeLessThan(15_000);
    await nothingLeft(run.marker, 20_000);
  });

  test("ids of ours begin at 1 and are never used twice", async () => {
    await using dir = await tempDir();
    const seen = dir.file("seen");
    await using host = await hostOver({ s: entry("ids.late", { env: { FIXTURE_SEEN: seen } }) });
    for (let n = 0; n < 3; n++) await host.call({ tool: "fast" });
    const ids = (await messagesIn(seen)).flatMap(({ id }) => id ?? []);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
  });

  test("in a call it fails by its own, quickly, and never another one's", async () => {
    const zero = '{"jsonrpc":"2.0","id":0,"result":{"content":[]}}';
    await using host = await hostOver({ s: entry("ids.literal", {}, zero) });
    const started = performance.now();
    const outcome = await host.call({ tool: "fault" });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "timeout", facts: { stray: "0" } },
    });
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(textOf(await host.call({ tool: "fault" }))).toContain("never sent");
  });
});

describe.concurrent("B053 an error without the request's id", () => {
  const parse = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":null}';
  test.each([
    ["null", parse],
    ["none", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}'],
    ["0 (made up)", '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":0}'],
  ])("id %s to the first list fails that one request, and the next one works", async (_, text) => {
    const run = await mcphost("tools", "--", ...faulty("ids.null-on-list", text)).run();
    expectRun(run, { code: 3, stderr: /Parse error/ });
    await using host = await hostOver({ s: entry("ids.null-on-list", {}, text) });
    expect(await host.tools()).toMatchObject({
      failed: [{ error: { facts: { rpcCode: -32700 } } }],
    });
    expect(textOf(await host.call({ tool: "echo", arguments: { message: "on" } }))).toBe("on");
    expect(host.logged.map((line) => line.text).join("\n")).toMatch(
      /an error (without an id|under id 0, which was never sent): Parse error \(-32700\)/,
    );
  });

  test("a made-up 0 resolves nothing", async () => {
    const zero = '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"},"id":0}';
    const words = ["--", ...faulty("ids.null-on-list", zero)];
    const run = await mcphost("tools", "--timeout", "1", ...words).run();
    expect(run.code).toBeGreaterThan(0);
    expect(run.stderr).toMatch(/under id 0/);
  });

  test("with several waiting nobody can tell whose it is, and each waits for its own", async () => {
    await using host = await hostOver({ s: entry("ids.late-null") });
    const slow = host.call({ tool: "slow", arguments: { ms: 100 }, timeoutMs: 1000 });
    const fast = host.call({ tool: "fast", arguments: { ms: 400 } });
    expect(textOf(await fast)).toBe("fast");
    expect(await slow).toMatchObject({ error: { code: "timeout" } });
  });
});

describe.concurrent('B055 1 and "1" are two ids', () => {
  test("each of the server's questions is answered under its id with its type", async () => {
    const words = config({ s: entry("ids.two-ones", { roots: ["/tmp"] }) });
    const run = await mcphost("call", "fault", ...words).run();
    expectRun(run, { stdout: '[["1",{}],[1,{"roots":[{"uri":"file:///tmp"}]}]]\n' });
  });

  test("calls that are answered in the reverse order each get their own", async () => {
    await using host = await hostOver({ s: entry("ids.reverse") });
    const both = [1, 2].map((n) => host.call({ tool: "fault", arguments: { n } }));
    expect((await Promise.all(both)).map(textOf)).toEqual(["n=1", "n=2"]);
  });
});
