/** What a host offers: filters and rules that name a tool, or none; and how it is made. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule } from "../../lib/config/types.ts";
import { createHost } from "../../lib/host/create.ts";
import { hostOver, tools } from "./kit.ts";

function flag(pattern: string, label = "--deny-tool"): PolicyRule {
  return { do: "deny", tools: pattern, origin: { label, kind: "named" } };
}

function warned({ logged }: { logged: LogEntry[] }): string[] {
  return logged.filter((entry) => entry.level === "warn").map((entry) => entry.text);
}

describe("a flag whose pattern is the name of no tool", () => {
  const policy = [
    flag("a.ecko"),
    flag("a.echo"),
    flag("b_ech?"),
    flag("*"),
    { ...flag("nobody's"), origin: { label: "mcphost.json", kind: "user", file: "/m.json" } },
  ] satisfies PolicyRule[];

  test("is warned of once, when all are listed", async () => {
    await using host = await hostOver({ a: {}, b: {} }, { policy });
    await host.call({ tool: "a.echo" });
    expect(warned(host)).toEqual([]);
    await host.tools();
    await host.tools();
    expect(warned(host)).toEqual([
      '--deny-tool "a.ecko" is the name of no tool here',
      '--deny-tool "b_ech?" is the name of no tool here',
    ]);
  });

  test("is warned of before the call of a single server, and not where it cannot be listed", async () => {
    await using host = await hostOver({ a: {} }, { policy: [flag("eco", "--allow-tool")] });
    await host.resolve("echo");
    expect(warned(host)).toEqual(['--allow-tool "eco" is the name of no tool here']);
    await using broken = await hostOver({ a: { command: "/nowhere" } }, { policy });
    await broken.tools();
    expect(warned(broken)).toEqual([]);
  });
});

describe("what is offered", () => {
  test("filters hide tools and deny calls; a pattern that names none is a warning", async () => {
    await using host = await hostOver({
      s: {
        tools: tools("echo", "pid", "env"),
        allowedTools: ["e*", "tpyo"],
        deniedTools: ["s_env", "*x"],
        toolsWithoutApproval: ["ehco", "echo"],
        rename: { evn: "other", pid: "number" },
      },
    });
    const { tools: all, warnings } = await host.tools();
    expect(all.map((tool) => tool.name)).toEqual(["echo"]);
    expect(warnings.map(({ text }) => text)).toEqual([
      'allowedTools: "tpyo" is the name of none of its tools',
      'deniedTools: "*x" is the name of none of its tools',
      'toolsWithoutApproval: "ehco" is the name of none of its tools; did you mean "echo"?',
      'rename: "evn" is the name of none of its tools; did you mean "env"?',
    ]);
    for (const request of [{ tool: "pid" }, { tool: "env" }, { tool: "pid", validate: false }])
      expect(await host.call(request)).toMatchObject({
        status: "denied",
        error: { code: "denied" },
      });
    expect(host.resolve("pid")).rejects.toMatchObject({ code: "denied" });
  });

  test("of two with one name, the one that is not offered does not make it ambiguous", async () => {
    await using host = await hostOver({
      x: { tools: tools("echo"), deniedTools: ["*"] },
      y: { tools: tools("echo") },
    });
    expect((await host.resolve("echo")).server).toBe("y");
  });
});

test("a server without a command is a usage error", async () => {
  expect(createHost({ servers: { s: {} as never } })).rejects.toMatchObject({ code: "usage" });
});

test("the module offers createHost", async () => {
  const module = (await import(
    join(import.meta.dir, "../../mcphost.ts")
  )) as typeof import("../../mcphost.ts");
  await using host = await module.createHost({ servers: {} });
  expect(await host.tools()).toEqual({ tools: [], failed: [], warnings: [] });
  expect(module.isHostError((await host.call({ tool: "x" })) && new Error("x"))).toBe(false);
});
