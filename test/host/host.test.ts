import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule } from "../../lib/config/types.ts";
import { createHost } from "../../lib/host/create.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { hostOver, textOf, tools } from "./kit.ts";

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

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

describe("names", () => {
  test("one server shows its own names, which are called exactly; the long ones are understood", async () => {
    const hostile = ["a.b", "a_b", "a/b", "a b", "道具", "__proto__", "x".repeat(300)];
    await using host = await hostOver({ s: { tools: tools(...hostile) } });
    const listing = await host.tools();
    expect(listing.tools.map((tool) => tool.name)).toEqual(hostile);
    for (const tool of hostile) {
      expect(textOf(await host.call({ tool, arguments: { tool } }))).toBe(JSON.stringify({ tool }));
      expect((await host.resolve(`s/${tool}`)).tool).toBe(tool);
    }
    expect((await host.resolve("s_a_b")).tool).toBe("a.b");
  });

  test("two servers: the union in the order of the config, the slower one included; changed names are told", async () => {
    await using host = await hostOver({
      slow: { tools: tools("a.b"), startMs: 100 },
      fast: { tools: tools("search") },
    });
    const { tools: all, failed, warnings } = await host.tools();
    expect(all.map((tool) => [tool.name, tool.server, tool.tool])).toEqual([
      ["slow_a_b", "slow", "a.b"],
      ["fast_search", "fast", "search"],
    ]);
    expect(failed).toEqual([]);
    expect(warnings).toEqual([
      { server: "slow", text: 'tools with another name here: "a.b" is slow_a_b' },
    ]);
  });

  test("a bare name of two servers is refused with the candidates, a qualified one is right", async () => {
    await using host = await hostOver({
      x: { tools: tools("pid", "only") },
      y: { tools: tools("pid") },
    });
    const refused = await host.call({ tool: "pid" });
    expect(refused).toMatchObject({
      status: "failed",
      sent: false,
      error: { code: "usage", facts: { candidates: ["x/pid", "y/pid"] } },
    });
    const x = textOf(await host.call({ tool: "x.pid" }));
    const y = textOf(await host.call({ tool: "y_pid" }));
    expect(x).not.toBe(y);
    expect(textOf(await host.call({ tool: "only", arguments: {} }))).toBe("{}");
  });

  test("only the servers that a name can mean are started", async () => {
    await using dir = await tempDir();
    await using host = await hostOver({
      fs: { tools: tools("read") },
      git: { tools: tools("status"), starts: dir.file("git") },
    });
    await host.call({ tool: "fs_read" });
    await host.call({ tool: "fs.read" });
    expect(await Bun.file(dir.file("git")).exists()).toBe(false);
    expect(host.servers().map((server) => server.state)).toEqual(["ready", "idle"]);
    await host.call({ tool: "read" });
    expect(await Bun.file(dir.file("git")).exists()).toBe(true);
  });

  test("an unknown name is a usage error with the nearest, and nothing is run instead", async () => {
    await using host = await hostOver({ s: { tools: tools("echo", "pid") } });
    const outcome = await host.call({ tool: "ehco" });
    expect(outcome).toMatchObject({
      status: "failed",
      error: { code: "usage", hint: "did you mean echo?", facts: { nearest: ["echo"] } },
    });
    expect(host.resolve("ehco")).rejects.toMatchObject({ code: "usage" });
  });

  test("a name that a failed server may own is not given to another", async () => {
    await using host = await hostOver({
      acme: { command: "/nowhere/at-all" },
      acme_: { tools: tools("status") },
    });
    const outcome = await host.call({ tool: "acme__status" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "server_start" } });
    expect(textOf(await host.call({ tool: "acme_/status", arguments: {} }))).toBe("{}");
  });
});

describe("lists", () => {
  test("one that cannot start hides no other, and is named", async () => {
    await using host = await hostOver({
      bad: { command: "/nowhere/at-all" },
      good: { tools: tools("echo") },
    });
    const { tools: all, failed } = await host.tools();
    expect(all.map((tool) => tool.name)).toEqual(["good_echo"]);
    expect(failed).toMatchObject([{ server: "bad", error: { code: "server_start" } }]);
  });

  test("odd schemas hide no tool: each is listed, callable, and told of", async () => {
    const schemas = {
      string: { type: "string" },
      any: { anyOf: [{ type: "object" }] },
      inside: { type: "object", properties: { a: { type: "string" }, required: ["a"] } },
      int: { type: "int" },
      list: [],
      nothing: null,
      ref: { type: "object", properties: { a: { $ref: "https://example.invalid/s.json" } } },
    };
    const odd = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema }));
    await using host = await hostOver({ s: { tools: [...odd, ...tools("good")] } });
    const { tools: all, warnings } = await host.tools();
    expect(all.map((tool) => tool.name)).toEqual([...Object.keys(schemas), "good"]);
    expect(warnings.length).toBeGreaterThanOrEqual(5);
    for (const name of ["any", "inside", "int", "list", "nothing", "ref", "good"])
      expect(textOf(await host.call({ tool: name, arguments: { a: "x" } }))).toBe('{"a":"x"}');
    expect(await host.call({ tool: "string" })).toMatchObject({ error: { code: "usage" } });
  });

  test("an unknown server is named as such", async () => {
    await using host = await hostOver({ good: {} });
    const { failed } = await host.tools({ servers: ["goood"] });
    expect(failed).toMatchObject([
      { server: "goood", error: { code: "usage", hint: "did you mean good?" } },
    ]);
  });

  test("some servers alone: their names are those of the whole", async () => {
    await using host = await hostOver({
      acme: { tools: tools("_status") },
      acme_: { tools: tools("status") },
    });
    const { tools: some } = await host.tools({ servers: ["acme_"] });
    expect(some).toHaveLength(1);
    expect(some[0]!.name).toMatch(/^acme__status_[0-9a-f]{8}$/);
  });

  test("a storm of changes makes few fetches, the last tool is there, and it is told once", async () => {
    await using host = await hostOver({ s: { tools: tools("storm", "lists") } });
    const told: string[] = [];
    const events = (async () => {
      for await (const event of host.events())
        if (event.type === "tools_changed") told.push(event.server);
    })();
    await host.tools();
    expect(textOf(await host.call({ tool: "storm" }))).toBe("stormed");
    const names = (await host.tools()).tools.map((tool) => tool.name);
    expect(names).toEqual(["storm", "lists", "late"]);
    expect(Number(textOf(await host.call({ tool: "lists" })))).toBeLessThanOrEqual(4);
    await host[Symbol.asyncDispose]();
    await events;
    expect(told.length).toBeGreaterThanOrEqual(1);
    expect(told.length).toBeLessThanOrEqual(3);
  });

  test("a change that was not declared, and told too early, is found by its name later", async () => {
    await using host = await hostOver({ s: { tools: tools("grow"), declares: { tools: {} } } });
    await host.call({ tool: "grow" });
    await host.tools();
    await waitFor(async () => (await host.call({ tool: "late" })).status === "completed", "late");
  });

  test("an endless trickle of changes blocks no call", async () => {
    await using host = await hostOver({ s: { tools: tools("trickle", "echo") } });
    await host.call({ tool: "trickle" });
    for (let i = 0; i < 20; i++)
      expect(textOf(await host.call({ tool: "echo", arguments: { i } }))).toBe(
        JSON.stringify({ i }),
      );
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

describe("lives", () => {
  test("many first calls at once start one process", async () => {
    await using dir = await tempDir();
    const starts = dir.file("starts");
    await using host = await hostOver({ s: { starts, startMs: 50, tools: tools("pid") } });
    const calls = Array.from({ length: 20 }, () => host.call({ tool: "pid" }));
    expect(new Set((await Promise.all(calls)).map(textOf)).size).toBe(1);
    expect(await Bun.file(starts).text()).toBe(".");
  });

  test("a server killed while idle is started again by the next call", async () => {
    await using host = await hostOver({ s: { tools: tools("pid") } });
    const first = Number(textOf(await host.call({ tool: "pid" })));
    process.kill(first, "SIGKILL");
    await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
    expect(host.servers()[0]).toMatchObject({
      error: { code: "server_exit", facts: { signal: "SIGKILL" } },
    });
    expect(Number(textOf(await host.call({ tool: "pid" })))).not.toBe(first);
  });

  test("a call that the server dies in is uncertain at once, with the cause; the next one works", async () => {
    await using host = await hostOver({ s: { tools: tools("exit", "echo") } });
    const outcome = await host.call({ tool: "exit", arguments: { code: 7 } });
    expect(outcome).toMatchObject({
      status: "uncertain",
      error: { code: "uncertain", facts: { exitCode: 7 } },
    });
    expect(textOf(await host.call({ tool: "echo", arguments: {} }))).toBe("{}");
  });

  test("a server that greets well and ends is not started without end", async () => {
    await using dir = await tempDir();
    const starts = dir.file("starts");
    await using host = await hostOver({
      s: { starts, exitAfterList: true, tools: tools("silent") },
    });
    for (let i = 0; i < 12; i++) {
      const outcome = await host.call({ tool: "silent", timeoutMs: 200 });
      expect(outcome.status).not.toBe("completed");
    }
    expect((await Bun.file(starts).text()).length).toBeLessThanOrEqual(3);
    const last = await host.call({ tool: "silent", timeoutMs: 1 });
    expect(last).toMatchObject({ status: "failed", sent: false, error: { code: "server_start" } });
  });

  test("a server that dies of a cancellation is started again by the next call", async () => {
    await using host = await hostOver({
      s: { diesOfCancel: true, tools: tools("silent", "echo") },
    });
    await host.tools();
    const slow = await host.call({ tool: "silent", timeoutMs: 30 });
    expect(slow).toMatchObject({ status: "failed", sent: true, error: { code: "timeout" } });
    await waitFor(() => host.servers()[0]!.state === "failed", "the end to be seen");
    expect(textOf(await host.call({ tool: "echo", arguments: {} }))).toBe("{}");
  });

  test("restart: false", async () => {
    await using host = await hostOver({ s: { restart: false, tools: tools("exit", "echo") } });
    await host.call({ tool: "exit" });
    const outcome = await host.call({ tool: "echo" });
    expect(outcome).toMatchObject({ status: "failed", error: { code: "server_start" } });
  });

  test("per-call: a process for each call, gone afterwards", async () => {
    await using host = await hostOver({ s: { lifecycle: "per-call", tools: tools("pid") } });
    const outcomes = await Promise.all(Array.from({ length: 3 }, () => host.call({ tool: "pid" })));
    const pids = outcomes.map((outcome) => Number(textOf(outcome)));
    expect(new Set(pids).size).toBe(3);
    await waitFor(() => pids.every((pid) => !alive(pid)), "the processes to end");
  });

  test("closing the host ends its servers and what is under way", async () => {
    const host = await hostOver({ s: { tools: tools("pid", "silent") } });
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    const pending = host.call({ tool: "silent" });
    const events = Array.fromAsync(host.events());
    await host[Symbol.asyncDispose]();
    expect(alive(pid)).toBe(false);
    expect(["cancelled", "uncertain"]).toContain((await pending).status);
    expect((await events).at(-1)).toMatchObject({ type: "server_state", state: "stopped" });
    expect(await host.call({ tool: "pid" })).toMatchObject({ status: "cancelled", sent: false });
  });

  test.each(["closed", "left"])("calls are cancelled before the host is %s", async (end) => {
    await using dir = await tempDir();
    const cancels = dir.file("cancels");
    const controller = new AbortController();
    const { signal } = controller;
    const fixture = { cancels, tools: tools("pid", "silent") };
    const host = (await hostOver({ s: fixture }, { signal })) as unknown as OpenedHost;
    const pending = Array.from({ length: 5 }, () => host.call({ tool: "silent" }));
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    controller.abort();
    if (end === "closed") await host[Symbol.asyncDispose]();
    else await host.leave();
    for (const { status } of await Promise.all(pending)) expect(status).toBe("cancelled");
    await waitFor(() => !alive(pid), "the server to end");
    expect(await Bun.file(cancels).text()).toBe(".....");
  });

  test("aborting the signal closes the host", async () => {
    const controller = new AbortController();
    const host = await hostOver({ s: { tools: tools("pid") } }, { signal: controller.signal });
    const pid = Number(textOf(await host.call({ tool: "pid" })));
    controller.abort();
    await waitFor(() => !alive(pid), "the server to end");
    expect((await host.call({ tool: "pid" })).status).toBe("cancelled");
  });

  test("a server is told its roots and its environment, and not ours", async () => {
    const env = { PATH: process.env["PATH"], SECRET: "ours" };
    await using host = await hostOver({ s: { tools: tools("env"), env: { OWN: "yes" } } }, { env });
    const seen = JSON.parse(textOf(await host.call({ tool: "env" }))) as Record<string, string>;
    expect(seen).toMatchObject({ OWN: "yes" });
    expect(Object.keys(seen)).not.toContain("SECRET");
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
