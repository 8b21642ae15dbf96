/** What a call comes to: completed, failed, cancelled, out of time; and many at a time. */
import { describe, expect, test } from "bun:test";

import { hostOver, textOf, tools } from "./kit.ts";

describe("outcomes", () => {
  test("completed: the result, its exact text, a duration", async () => {
    await using host = await hostOver({ s: {} });
    const outcome = await host.call({ tool: "echo", arguments: { n: 1 } });
    expect(outcome).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text", text: '{"n":1}' }] },
      raw: '{"content":[{"type":"text","text":"{\\"n\\":1}"}]}',
    });
    expect(outcome.durationMs).toBeGreaterThan(0);
  });

  test("without arguments an object is sent", async () => {
    await using host = await hostOver({ s: {} });
    expect(textOf(await host.call({ tool: "echo" }))).toBe("{}");
  });

  test("a result that is an error, and an error of the protocol, stay apart", async () => {
    await using host = await hostOver({ s: { tools: tools("fail", "refuse") } });
    const failed = await host.call({ tool: "fail" });
    expect(failed).toMatchObject({ status: "failed", result: { isError: true } });
    expect(failed).not.toHaveProperty("error");
    const refused = await host.call({ tool: "refuse" });
    expect(refused).toMatchObject({
      status: "failed",
      sent: true,
      error: {
        code: "rpc_error",
        message: 'refuse of server "s" answered with error -32602: Unknown tool: refuse',
        facts: { server: "s", tool: "refuse", rpcCode: -32602, rpcData: { why: "test" } },
      },
    });
    expect(refused).not.toHaveProperty("result");
  });

  test("out of time: failed and sent; the next call gets its own answer", async () => {
    await using host = await hostOver({ s: { tools: tools("wait", "echo") } });
    const slow = await host.call({ tool: "wait", arguments: { ms: 100 }, timeoutMs: 30 });
    expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
    expect(textOf(await host.call({ tool: "echo", arguments: { n: 2 } }))).toBe('{"n":2}');
    expect(textOf(await host.call({ tool: "wait", arguments: { ms: 120 } }))).toBe("waited");
  });

  test("a list that is made first gets no more time than the call", async () => {
    await using host = await hostOver({ s: { silentList: true } });
    expect(await host.call({ tool: "echo", timeoutMs: 50 })).toMatchObject({
      status: "failed",
      sent: false,
      error: {
        code: "server_start",
        message: 'server "s" did not answer tools/list within 50 ms',
        facts: { server: "s", method: "tools/list", sent: false, timeoutMs: 50 },
      },
    });
    const unlisted = await host.call({ tool: "echo", timeoutMs: Infinity, validate: false });
    expect(textOf(unlisted)).toBe("{}");
  });

  test("a server's own timeoutMs holds where the call has none", async () => {
    await using host = await hostOver({ s: { tools: tools("silent"), timeoutMs: 50 } });
    expect(await host.call({ tool: "silent" })).toMatchObject({ error: { code: "timeout" } });
  });

  test("cancelled: before it was sent, and after", async () => {
    await using host = await hostOver({ s: { tools: tools("silent") } });
    const gone = await host.call({ tool: "silent", signal: AbortSignal.abort() });
    expect(gone).toMatchObject({ status: "cancelled", sent: false, error: { code: "cancelled" } });
    const controller = new AbortController();
    const pending = host.call({ tool: "silent", signal: controller.signal });
    for await (const event of host.events()) if (event.type === "call_start") break;
    setTimeout(() => controller.abort(), 50);
    expect(await pending).toMatchObject({ status: "cancelled", sent: true });
  });

  test("a server that cannot start: failed and not sent", async () => {
    await using host = await hostOver({ s: { command: "/nowhere/at-all" } });
    for (const validate of [true, false])
      expect(await host.call({ tool: "echo", validate })).toMatchObject({
        status: "failed",
        sent: false,
        error: { code: "server_start" },
      });
  });
});

test("at most `concurrency` calls at a time", async () => {
  await using host = await hostOver({ s: { concurrency: 1, tools: tools("wait", "echo") } });
  const order: string[] = [];
  const slow = host.call({ tool: "wait", arguments: { ms: 60 } }).then(() => order.push("slow"));
  for await (const event of host.events()) if (event.type === "call_start") break;
  const quick = host.call({ tool: "echo" }).then(() => order.push("quick"));
  await Promise.all([slow, quick]);
  expect(order).toEqual(["slow", "quick"]);
});

test("200 calls at a time each get their own answer", async () => {
  await using host = await hostOver({ s: {} });
  const calls = Array.from({ length: 200 }, (_, i) =>
    host.call({ tool: "echo", arguments: { i } }),
  );
  expect((await Promise.all(calls)).map(textOf)).toEqual(calls.map((_, i) => `{"i":${i}}`));
});
