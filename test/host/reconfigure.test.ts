/** Other servers and rules for a host that is open: what changes, what goes on, what is told. */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import { openHost } from "../../lib/host/host.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import type { ChangeableHost } from "../../lib/host/reconfigure-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import type { Plan } from "../fixtures/host/server.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import { tempDir } from "../harness.ts";
import { waitFor } from "../processes.ts";
import { textOf, tools } from "./kit.ts";

const program = join(import.meta.dir, "../fixtures/host/server.ts");
const everything = join(import.meta.dir, "../fixtures/remote/stdio.ts");
const usual = tools("echo", "pid", "silent", "wait");

function entry(name: string, plan: Plan = {}, more: object = {}): ServerConfig {
  return {
    kind: "stdio",
    name,
    origin: { label: "test", kind: "named" },
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    command: process.execPath,
    args: [program, JSON.stringify({ tools: usual, ...plan })],
    env: {},
    stopMs: 300,
    ...more,
  } as ServerConfig;
}

/** A server that has everything. */
function full(name: string, more: object = {}, era = "legacy"): ServerConfig {
  return entry(name, {}, { args: [everything, era], ...more });
}

interface Opened extends AsyncDisposable {
  host: ChangeableHost;
  events: HostEvent[];
  change(servers: ServerConfig[], policy?: PolicyRule[], graceMs?: number): Promise<unknown>;
}

function open(servers: ServerConfig[], options: Partial<OpenHostOptions> = {}): Opened {
  const logged: LogEntry[] = [];
  const host = openHost({
    servers,
    prepare: async (server) => server,
    policy: [],
    env: process.env,
    signal: new AbortController().signal,
    log: (line) => void logged.push(line),
    ...options,
  });
  const events: HostEvent[] = [];
  host.onEvent((event) => void events.push(event));
  return {
    host,
    events,
    change: (next, policy = [], graceMs = 10_000) =>
      host.reconfigure({ servers: next, policy, graceMs }),
    [Symbol.asyncDispose]: () => Promise.resolve(host[Symbol.asyncDispose]()),
  };
}

async function call({ host }: Opened, tool: string, args = {}): Promise<string> {
  return textOf(await host.call({ tool, arguments: args }));
}

/** A call of the tool was handed to its server. */
async function begun({ events }: Opened, tool: string): Promise<void> {
  await waitFor(async () =>
    events.some((event) => event.type === "call_start" && event.tool === tool),
  );
}

async function names({ host }: Opened): Promise<string[]> {
  return (await host.tools()).tools.map(({ name }) => name);
}

describe("servers", () => {
  test("only what is another is started or stopped; the rest keeps its process", async () => {
    await using it = open([entry("kept"), entry("gone"), entry("other")]);
    const [kept, other] = [await call(it, "kept_pid"), await call(it, "other_pid")];
    await call(it, "gone_pid");
    const change = await it.change([
      entry("kept"),
      entry("other", {}, { args: [program, JSON.stringify({ tools: usual }), "more"] }),
      entry("new"),
    ]);
    expect(change).toEqual({
      added: ["new"],
      removed: ["gone"],
      changed: ["other"],
      adjusted: [],
      kept: ["kept"],
    });
    expect(it.host.servers().map(({ name }) => name)).toEqual(["kept", "other", "new"]);
    expect(await call(it, "kept_pid")).toBe(kept);
    expect(await call(it, "other_pid")).not.toBe(other);
    expect(await call(it, "new_echo")).toBe("{}");
    expect(await call(it, "gone_echo")).toContain('no tool is called "gone_echo"');
    expect(await names(it)).toEqual(
      ["kept", "other", "new"].flatMap((name) =>
        ["echo", "pid", "silent", "wait"].map((tool) => `${name}_${tool}`),
      ),
    );
  });

  test("the same entries written anew change nothing", async () => {
    await using it = open([entry("a", {}, { env: { A: "1" } }), entry("b")]);
    const pid = await call(it, "a_pid");
    const told = it.events.length;
    const same = [entry("a", {}, { env: { A: "1" }, written: { comment: 1 } }), entry("b")];
    expect(await it.change(same)).toMatchObject({ kept: ["a", "b"], changed: [], adjusted: [] });
    expect(await call(it, "a_pid")).toBe(pid);
    expect(it.events.slice(told).map(({ type }) => type)).toEqual(["call_start", "call_end"]);
  });

  test("names, filters and times are taken up by the process that runs", async () => {
    await using it = open([entry("a"), entry("b")]);
    const pid = await call(it, "a_pid");
    const next = entry("a", {}, { prefix: "x_", deniedTools: ["silent"], rename: { pid: "who" } });
    expect(await it.change([next, entry("b")])).toMatchObject({ adjusted: ["a"], kept: ["b"] });
    expect(await call(it, "who")).toBe(pid);
    expect((await names(it)).slice(0, 3)).toEqual(["x_echo", "who", "x_wait"]);
    expect(await call(it, "a/silent")).toContain("denied");
  });

  test("an entry that was found is never loosened without trust: its server is stopped", async () => {
    const origin = { file: "/p/mcp.json", label: "mcp.json", kind: "found" } as const;
    const asked: unknown[] = [];
    const prepare = async (server: ServerConfig) => {
      asked.push(server.allowedTools);
      return server;
    };
    await using it = open([entry("a", {}, { origin, allowedTools: ["pid"] }), entry("b")], {
      prepare,
    });
    const pid = await call(it, "a_pid");
    const next = entry("a", {}, { origin, allowedTools: ["*"] });
    expect(await it.change([next, entry("b")])).toMatchObject({ changed: ["a"] });
    expect(await call(it, "a_pid")).not.toBe(pid);
    expect(asked).toEqual([["pid"], ["*"]]);
  });

  test("one server shows its tools' own names, two do not, and it is told", async () => {
    await using it = open([entry("a")]);
    expect(await names(it)).toContain("echo");
    await it.change([entry("a"), entry("b")]);
    expect(await names(it)).toContain("a_echo");
    await it.change([entry("a")]);
    expect(await names(it)).toContain("echo");
  });

  test("a disabled entry is none", async () => {
    await using it = open([entry("a"), entry("b")]);
    const off = entry("b", {}, { disabled: true });
    expect(await it.change([entry("a"), off])).toMatchObject({ removed: ["b"] });
    expect(await it.change([entry("a"), entry("b")])).toMatchObject({ added: ["b"] });
    expect(await call(it, "b_echo")).toBe("{}");
  });

  test("rules count from the next call on", async () => {
    await using it = open([entry("a")]);
    expect(await call(it, "echo")).toBe("{}");
    const rule: PolicyRule = { tools: "echo", do: "deny", reason: "no more" };
    await it.change([entry("a")], [rule]);
    expect(await call(it, "echo")).toContain("no more");
    const { tools: listed } = await it.host.tools();
    expect((await it.host.judge(listed.slice(0, 1), "gateway"))[0]?.do).toBe("deny");
    await it.change([entry("a")]);
    expect(await call(it, "echo")).toBe("{}");
  });
});

describe("what runs", () => {
  test("64 calls on one server go on while the other comes, changes and goes", async () => {
    await using it = open([entry("a")]);
    const running = Array.from({ length: 64 }, () => call(it, "a/wait", { ms: 400 }));
    await begun(it, "wait");
    await it.change([entry("a"), entry("b")]);
    expect(await call(it, "b_echo")).toBe("{}");
    await it.change([entry("a"), entry("b", {}, { env: { X: "1" } })]);
    expect(await call(it, "b_echo")).toBe("{}");
    await it.change([entry("a")]);
    expect(new Set(await Promise.all(running))).toEqual(new Set(["waited"]));
  });

  test("calls on a server that goes may end first", async () => {
    await using it = open([entry("a"), entry("b")]);
    await call(it, "b_echo");
    const running = call(it, "b_wait", { ms: 200 });
    await begun(it, "wait");
    await it.change([entry("a")]);
    expect(await running).toBe("waited");
  });

  test.each([
    ["was taken out of the config", [entry("a")]],
    ["was replaced by its new entry in the config", [entry("a"), entry("b", {}, { cwd: "/" })]],
  ])("what does not end in time is told why: it %s", async (why, next) => {
    await using it = open([entry("a"), entry("b")]);
    await call(it, "b_echo");
    const running = it.host.call({ tool: "b_silent" });
    await begun(it, "silent");
    await it.change(next, [], 50);
    const { status, error } = await running;
    // Nobody knows what came of it.
    expect(status).toBe("uncertain");
    expect(error?.message).toStartWith(`server "b" ${why} while it was answering tools/call`);
  });

  test("B074: one process of a server at a time, and the old one is gone", async () => {
    await using folder = await tempDir();
    const starts = folder.file("starts");
    await using it = open([entry("a", { starts })]);
    const old = Number(await call(it, "a/pid"));
    const running = call(it, "a/wait", { ms: 300 });
    await begun(it, "wait");
    await it.change([entry("a", { starts }, { env: { X: "1" } })]);
    const next = call(it, "a/pid");
    await Bun.sleep(50);
    expect(await Bun.file(starts).text()).toBe(".");
    expect(await running).toBe("waited");
    expect(Number(await next)).not.toBe(old);
    expect(isAlive(old)).toBe(false);
    for (let round = 0; round < 3; round++)
      await it.change([entry("a", { starts }, { env: { X: `${round + 2}` } })]);
    expect(await Bun.file(starts).text()).toBe("..");
  });

  test("the host ends while calls still have their time: nothing is left", async () => {
    let pid: number;
    {
      await using it = open([entry("a")]);
      pid = Number(await call(it, "a/pid"));
      void it.host.call({ tool: "a/silent" });
      await begun(it, "silent");
      await it.change([]);
    }
    await waitFor(async () => !isAlive(pid));
  });
});

describe("a server that is reached", () => {
  test.each(["legacy", "modern"] as const)(
    "is reached anew by its new entry at once, while calls of the old one end (%s)",
    async (era) => {
      await using far = await serveRemote({ transport: "http", era });
      const reached = (token: string) =>
        ({
          kind: "http",
          name: "far",
          origin: { label: "test", kind: "named" },
          written: {},
          protocol: "auto",
          lifecycle: "lazy",
          transport: "auto",
          url: far.url,
          headers: { "x-token": token },
        }) as ServerConfig;
      await using it = open([reached("old"), entry("b")]);
      const running = call(it, "far_slow", { steps: 4, ms: 100 });
      await waitFor(() => far.methods().includes("tools/call"));
      expect(await it.change([reached("new"), entry("b")])).toMatchObject({ changed: ["far"] });
      expect(await call(it, "far_add", { a: 2, b: 40 })).toBe("42");
      expect(far.requests.at(-1)?.headers["x-token"]).toBe("new");
      expect(await running).toContain("4");
    },
  );
});

describe("beside tools", () => {
  test("prompts and resources are those of the servers that there are", async () => {
    await using it = open([full("a")]);
    const listed = async () => {
      const { prompts } = await it.host.prompts();
      const { resources } = await it.host.resources();
      return [
        new Set(prompts.map(({ server }) => server)),
        new Set(resources.map(({ server }) => server)),
      ];
    };
    expect(await listed()).toEqual([new Set(["a"]), new Set(["a"])]);
    await it.change([full("a"), full("b")]);
    expect(await listed()).toEqual([new Set(["a", "b"]), new Set(["a", "b"])]);
    const { prompts } = await it.host.prompts();
    expect(prompts.every(({ name, server }) => name.startsWith(`${server}_`))).toBe(true);
    await it.change([full("b")]);
    expect(await listed()).toEqual([new Set(["b"]), new Set(["b"])]);
    await expect(it.host.read({ uri: "a/test://a" })).rejects.toMatchObject({ code: "rpc_error" });
  });

  test.each(["legacy", "modern"])(
    "a subscription goes on at the server that took the place (%s)",
    async (era) => {
      await using it = open([full("a", {}, era), full("b")]);
      const heard: string[] = [];
      let opened = 0;
      const following = it.host.subscribe({
        server: "a",
        uris: ["test://a"],
        onOpen: () => opened++,
        onUpdate: ({ kind }) => void heard.push(kind),
      });
      await waitFor(() => opened === 1);
      await it.change([full("a", { env: { X: "1" } }, era), full("b")]);
      await waitFor(() => opened === 2);
      expect(heard).toEqual(["stale"]);
      await waitFor(async () => {
        await it.host.call({ tool: "a/touch", arguments: { uri: "test://a" } });
        return heard.includes("resource");
      });
      await it.change([full("b")]);
      await expect(following).rejects.toMatchObject({ code: "usage" });
    },
  );
});

test("it is told: a server that stopped, and the lists of all that are others", async () => {
  await using it = open([entry("kept"), entry("gone"), entry("idle")]);
  await call(it, "gone_echo");
  const before = it.events.length;
  const seen: string[][] = [];
  it.host.onEvent(() => seen.push(it.host.servers().map(({ name }) => name)));
  await it.change([entry("kept"), entry("new")]);
  const told = it.events.slice(before);
  expect(told[0]).toEqual({ type: "server_state", server: "gone", state: "stopped" });
  for (const server of ["gone", "idle", "new"])
    expect(told.filter((event) => event.server === server).slice(-3)).toEqual([
      { type: "tools_changed", server },
      { type: "list_changed", server, list: "prompts" },
      { type: "list_changed", server, list: "resources" },
    ]);
  expect(told.some((event) => event.server === "kept")).toBe(false);
  // Whoever is told finds the new servers.
  expect(seen.every((one) => one.join() === "kept,new")).toBe(true);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a guest", () => {
  test("follows its host: processes of its own go, stay and come as those of the host do", async () => {
    await using it = open([entry("a"), entry("b"), entry("gone")]);
    await using guest = await it.host.guest({ roots: async () => [] });
    const ask = async (tool: string) => textOf(await guest.call({ tool }));
    const told: HostEvent[] = [];
    guest.onEvent((event) => void told.push(event));
    const [a, b] = [await ask("a_pid"), await ask("b_pid")];
    expect(a).not.toBe(await call(it, "a_pid"));
    const gone = Number(await ask("gone_pid"));
    const denied: PolicyRule = { tools: "echo", do: "deny", reason: "no more" };
    await it.change([entry("a"), entry("b", {}, { env: { X: "1" } }), entry("new")], [denied]);
    expect(guest.servers().map(({ name }) => name)).toEqual(["a", "b", "new"]);
    expect(await ask("a_pid")).toBe(a);
    expect(await ask("b_pid")).not.toBe(b);
    expect(await ask("new_pid")).toMatch(/^\d+$/);
    expect(await ask("new_pid")).not.toBe(await call(it, "new_pid"));
    expect(await ask("a_echo")).toContain("no more");
    expect(told).toContainEqual({ type: "tools_changed", server: "gone" });
    await waitFor(() => !isAlive(gone) && !isAlive(Number(b)));
  });
});
