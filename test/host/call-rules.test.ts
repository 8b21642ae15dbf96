/** Rules about a call, and what is told of calls, denied ones too. */
import { describe, expect, test } from "bun:test";

import { createHost } from "../../lib/host/create.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import { hostOver, textOf, tools } from "./kit.ts";

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
