import { describe, expect, test } from "bun:test";

import type { Json } from "../../lib/base/json.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { hostOver, textOf, tools } from "./kit.ts";

const add = {
  name: "add",
  inputSchema: {
    type: "object",
    properties: { a: { type: "integer" }, "odd/key": { type: "array", items: { type: "string" } } },
    required: ["a"],
    additionalProperties: false,
  },
};

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

describe("arguments", () => {
  test("one that is named and forbidden is said to be so", async () => {
    const never = { type: "object" as const, properties: { a: true, never: false } };
    await using host = await hostOver({ s: { tools: [{ name: "odd", inputSchema: never }] } });
    expect(await host.call({ tool: "odd", arguments: { never: 1 } })).toMatchObject({
      error: { code: "usage", message: "odd: argument never: is not allowed here" },
    });
  });

  test.each<[object, string]>([
    [{}, "add: argument a is missing"],
    [{ a: "1" }, 'add: argument a: expected integer, got "1"'],
    [{ a: 1, "odd/key": [1] }, "add: argument odd/key/0: expected string, got 1"],
    [{ a: 1, odd_key: [] }, "add: unknown argument odd_key (did you mean odd/key?)"],
    [{ b: 1 }, "add: argument a is missing; unknown argument b (did you mean a?)"],
    // What is given already was not meant.
    [{ a: 1, b: 1 }, "add: unknown argument b"],
  ])("%j is refused before it is sent", async (args, message) => {
    await using host = await hostOver({ s: { tools: [add] } });
    expect(await host.call({ tool: "add", arguments: args as Record<string, Json> })).toMatchObject(
      {
        status: "failed",
        sent: false,
        error: { code: "usage", message, hint: 'add(a: integer, "odd/key"?: string[])' },
      },
    );
  });

  test("without validation they are sent as they are, and nothing is listed", async () => {
    await using host = await hostOver({ s: { tools: [add, ...tools("lists")] } });
    const request = { validate: false, arguments: { b: 1 } };
    expect(textOf(await host.call({ tool: "add", ...request }))).toBe('{"b":1}');
    expect(textOf(await host.call({ tool: "lists", ...request }))).toBe("0");
    expect(textOf(await host.call({ tool: "s.add", ...request }))).toBe('{"b":1}');
    expect(textOf(await host.call({ tool: "lists", ...request }))).toBe("1");
  });

  test("big integers keep every digit on the way", async () => {
    await using host = await hostOver({ s: { tools: [add] } });
    const a = JSON.rawJSON("12345678901234567890") as unknown as Json;
    const outcome = await host.call({ tool: "add", arguments: { a }, validate: true });
    expect(outcome.status).toBe("completed");
  });

  test("a schema that is no use stops no call, and is told once", async () => {
    const broken = { name: "broken", inputSchema: { type: "int" } };
    await using host = await hostOver({ s: { tools: [broken, ...tools("echo")] } });
    for (let i = 0; i < 2; i++)
      expect(textOf(await host.call({ tool: "broken", arguments: { i } }))).toBe(
        JSON.stringify({ i }),
      );
    const warnings = host.logged
      .filter((entry) => entry.level === "warn")
      .map((entry) => entry.text);
    expect(warnings).toEqual([
      'the arguments of broken are not checked: the schema is no use: # has the unknown type "int"',
    ]);
  });

  test("a schema of $schema alone, or none, takes anything", async () => {
    const odd = [
      { name: "only", inputSchema: { $schema: "https://json-schema.org/draft/2020-12/schema" } },
      { name: "none" },
    ];
    await using host = await hostOver({ s: { tools: odd } });
    for (const tool of ["only", "none"])
      expect(textOf(await host.call({ tool, arguments: { x: [1] } }))).toBe('{"x":[1]}');
  });
});

describe("rules", () => {
  const flag = { label: "--deny-tool", kind: "named" } as const;

  test("a denied call is not sent, and names its rule; an allowing one forbids and hides nothing", async () => {
    const policy = [
      { do: "deny" as const, tools: "e*", origin: flag },
      { do: "allow" as const, tools: "echo" },
    ];
    await using host = await hostOver({ s: { tools: tools("echo", "pid") } }, { policy });
    expect(await host.call({ tool: "echo" })).toMatchObject({
      status: "denied",
      error: {
        code: "denied",
        message: 'echo of server "s" is denied by --deny-tool "e*"',
        facts: { server: "s", tool: "echo", rule: '--deny-tool "e*"' },
      },
    });
    expect((await host.call({ tool: "pid" })).status).toBe("completed");
    expect((await host.tools()).tools).toHaveLength(2);
  });

  test("by actor, by arguments, by annotations (which are asked for even without validation)", async () => {
    const readOnly = { name: "echo", inputSchema: {}, annotations: { readOnlyHint: true } };
    const policy = [
      { do: "deny" as const, actor: "model" },
      { do: "deny" as const, arguments: { "/path": "/etc/*" }, reason: "not there" },
      { do: "deny" as const, annotations: { readOnlyHint: true }, actor: "gateway" },
    ];
    await using host = await hostOver({ s: { tools: [readOnly] } }, { policy });
    const status = async (request: object) =>
      (await host.call({ tool: "echo", ...request })).status;
    expect(await status({})).toBe("completed");
    expect(await status({ actor: "model" })).toBe("denied");
    expect(await status({ arguments: { path: "/etc/passwd" } })).toBe("denied");
    expect(await status({ arguments: { path: "/home" } })).toBe("completed");
    expect(await status({ actor: "gateway", validate: false })).toBe("denied");
  });

  test("where nobody can be asked, what needs asking is denied and says so", async () => {
    await using host = await hostOver({
      s: { approval: "always", toolsWithoutApproval: ["pid"], tools: tools("echo", "pid") },
    });
    expect(textOf(await host.call({ tool: "echo" }))).toBe(
      'denied: echo of server "s" needs approval and nobody can be asked here (approval of server s is "always")',
    );
    expect((await host.call({ tool: "pid" })).status).toBe("completed");
  });
});

test("every call of a server's tool is told, from its start to its end, denied ones too", async () => {
  const policy = [{ do: "deny" as const, tools: "pid" }];
  const s = { tools: tools("echo", "pid", "hidden"), deniedTools: ["hidden"] };
  await using host = await hostOver({ s }, { policy });
  const events: HostEvent[] = [];
  const listening = (async () => {
    for await (const event of host.events()) events.push(event);
  })();
  await host.call({ tool: "echo" });
  await host.call({ tool: "pid" });
  await host.call({ tool: "hidden" });
  await host.call({ tool: "nothing" });
  await host[Symbol.asyncDispose]();
  await listening;
  const words = events.map((event): string =>
    event.type === "server_state"
      ? event.state
      : event.type === "call_end"
        ? event.status
        : event.type,
  );
  expect(words).toEqual([
    "starting",
    "ready",
    "call_start",
    "completed",
    "call_start",
    "denied",
    "call_start",
    "denied",
    "stopped",
  ]);
});

test("a call whose server cannot be started is told, too", async () => {
  await using host = await createHost({ servers: { s: { command: "/nowhere/at/all" } } });
  const events: HostEvent[] = [];
  const listening = (async () => {
    for await (const event of host.events()) events.push(event);
  })();
  await host.call({ tool: "s.echo" });
  await host.call({ tool: "echo", validate: false });
  await host[Symbol.asyncDispose]();
  await listening;
  const calls = events.filter((event) => event.type === "call_start" || event.type === "call_end");
  const [start, end, ...others] = calls;
  expect(start).toMatchObject({ type: "call_start", server: "s", tool: "s.echo" });
  expect(end).toMatchObject({ type: "call_end", server: "s", tool: "s.echo", status: "failed" });
  expect(start).toMatchObject({ id: (end as { id: string }).id });
  expect(others.map(({ type }) => type)).toEqual(["call_start", "call_end"]);
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
