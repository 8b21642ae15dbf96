/** What changes while a call waits for approval, and who answers it, in one process over a store. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import type { Plugin } from "../../lib/hooks/plugin.ts";
import { setUpPlugins } from "../../lib/hooks/runner.ts";
import { StoredApprovals } from "../../lib/host/approvals.ts";
import { approve, reject } from "../../lib/host/deciding.ts";
import type { Approver } from "../../lib/host/gate-types.ts";
import { openHost } from "../../lib/host/host.ts";
import { openPluggedHost } from "../../lib/host/plugins.ts";
import type { ChangeableHost } from "../../lib/host/reconfigure-types.ts";
import { StoreRecorder } from "../../lib/host/record.ts";
import { openStore } from "../../lib/store/store.ts";
import type { Store } from "../../lib/store/store.ts";
import { bunAlone, expectRun, mcphost, root, type TempDir, tempDir } from "../harness.ts";
import { textOf } from "../host/kit.ts";
import { waitFor } from "../processes.ts";

setDefaultTimeout(30_000);

const ask: PolicyRule = { tools: "count", do: "ask" };

interface World extends AsyncDisposable {
  host: ChangeableHost;
  store: Store;
  home: TempDir;
  logged: LogEntry[];
  entry: ServerConfig;
  /** Calls it, and waits until it waits. */
  asked(args: object, tool?: string): Promise<{ id: string; outcome: Promise<Outcome> }>;
}

async function world({
  policy = [ask],
  plugins = [],
  approve: approver,
  waits = true,
  timeoutMs = 60_000,
  store: given,
}: {
  policy?: PolicyRule[];
  plugins?: Plugin[];
  approve?: Approver;
  waits?: boolean;
  timeoutMs?: number;
  store?: () => Promise<Store>;
} = {}): Promise<World> {
  const home = await tempDir();
  await writeFile(home.file("words"), "Counts");
  const logged: LogEntry[] = [];
  const log = (line: LogEntry) => void logged.push(line);
  const store = await openStore({ url: home.file("store.db"), folder: undefined, log });
  const [command = "", ...flags] = bunAlone;
  const entry = {
    kind: "stdio",
    name: "one",
    origin: { label: "test", kind: "named" },
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    command,
    args: [...flags, join(root, "test/fixtures/records/counter.ts")],
    env: { WORDS: home.file("words"), RUNS: home.file("runs") },
    stopMs: 300,
  } as ServerConfig;
  const common = { log, now: Date.now };
  const recorder = new StoreRecorder({
    ...common,
    journal: () => store.journal,
    hide: (text) => text,
  });
  const keeper = new StoredApprovals({
    ...common,
    store: given ?? (async () => store),
    isThere: async () => true,
    recorder,
    session: "s",
    waits,
    timeoutMs,
  });
  const options = {
    servers: [entry],
    prepare: async (server: ServerConfig) => server,
    policy,
    env: process.env,
    signal: new AbortController().signal,
    log,
    record: recorder,
    keeper,
    ...(approver && { approve: approver }),
  };
  const named = plugins.map((plugin) => ({ plugin, from: plugin.name }));
  const host =
    plugins.length === 0
      ? openHost(options)
      : await openPluggedHost(await setUpPlugins({ plugins: named, log }), options);
  return {
    host,
    store,
    home,
    logged,
    entry,
    async asked(args, tool = "count") {
      const id = crypto.randomUUID();
      const { promise: waiting, resolve } = Promise.withResolvers<void>();
      const listener = { onWaiting: () => resolve() };
      const request = { id, tool, arguments: { ...args }, listener };
      const outcome = host.call(request);
      await Promise.race([waiting, outcome]);
      return { id, outcome };
    },
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const told = (id: string) => ({ owner: undefined, id, by: "test" });
const runs = async ({ home }: World) => {
  const file = Bun.file(home.file("runs"));
  return (await file.exists()) ? (await file.text()).trim().split("\n") : [];
};
const stateOf = async ({ store }: World, id: string) =>
  (await store.approvals.get(undefined, id))?.state;

test("a tool that changed while it was asked about is not called; the difference is told", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  await writeFile(here.home.file("words"), "Deletes everything");
  // Another list: its server is started anew.
  await here.host.rest("one");
  await here.host.tools();
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toMatch(
    /^denied: .*was changed while it waited for approval: description was "Counts" and is "Deletes/,
  );
  expect(await stateOf(here, id)).toBe("cancelled");
  expect(await runs(here)).toEqual([]);
});

test("a server that was removed while a call waited, or was replaced, is not called", async () => {
  for (const next of ["none", "other"]) {
    await using here = await world();
    const { id, outcome } = await here.asked({ by: 1 });
    const other = {
      ...here.entry,
      args: [...("args" in here.entry ? here.entry.args : []), "more"],
    };
    const servers = next === "none" ? [] : [other as ServerConfig];
    await here.host.reconfigure({ servers, policy: [ask], graceMs: 100 });
    await approve(here.store, told(id));
    expect((await outcome).status).not.toBe("completed");
    expect(await runs(here)).toEqual([]);
    expect(await stateOf(here, id)).toBe("cancelled");
  }
});

test("a call is known by the configuration of its server, whatever the name", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  const { config } = (await here.store.approvals.get(undefined, id))!;
  const keys = await here.host.serverKeys();
  expect(keys).toEqual([{ name: "one", config }]);
  const other = { ...here.entry, env: { RUNS: here.home.file("others") } } as ServerConfig;
  await here.host.reconfigure({ servers: [other], policy: [ask], graceMs: 100 });
  expect(await here.host.serverKeys()).toEqual([
    { name: "one", config: expect.not.stringContaining(config) },
  ]);
  await reject(here.store, told(id), "no");
  expect(textOf(await outcome)).toMatch(/^denied/);
});

test("a rule that forbids it by now, and one that other arguments meet", async () => {
  await using here = await world({
    policy: [ask, { tools: "count", arguments: { "/by": "7" }, do: "deny", reason: "no sevens" }],
  });
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id), { arguments: { by: 7 } });
  expect(textOf(await first.outcome)).toMatch(/^denied: .*no sevens/);
  expect(await stateOf(here, first.id)).toBe("cancelled");
  const second = await here.asked({ by: 1 });
  const policy = [ask, { tools: "count", do: "deny", reason: "not any more" } as const];
  await here.host.reconfigure({ servers: [here.entry], policy, graceMs: 100 });
  await approve(here.store, told(second.id));
  expect(textOf(await second.outcome)).toMatch(/^denied: .*not any more/);
  expect(await runs(here)).toEqual([]);
});

test("a rule of now that only the approver's arguments meet", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  const no = {
    tools: "count",
    arguments: { "/by": "7" },
    do: "deny",
    reason: "no sevens",
  } as const;
  await here.host.reconfigure({ servers: [here.entry], policy: [ask, no], graceMs: 100 });
  await approve(here.store, told(id), { arguments: { by: 7 } });
  expect(textOf(await outcome)).toMatch(/^denied: .*no sevens/);
  expect(await stateOf(here, id)).toBe("cancelled");
  expect(await runs(here)).toEqual([]);
});

test("a plugin that denies what an approver made of it", async () => {
  const seen: unknown[] = [];
  const plugin: Plugin = {
    name: "no-sevens",
    hooks: {
      beforeCall({ arguments: args }) {
        seen.push(args["by"]);
        if (args["by"] === 7) return { deny: "no sevens" };
        return args["by"] === 8 ? { arguments: { by: 80 } } : undefined;
      },
    },
  };
  await using here = await world({ plugins: [plugin] });
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id), { arguments: { by: 7 } });
  expect(textOf(await first.outcome)).toMatch(/^denied: .*plugin "no-sevens": no sevens/);
  expect(await stateOf(here, first.id)).toBe("cancelled");
  // What was allowed is what is done: nothing else that a plugin says of it counts.
  const second = await here.asked({ by: 2 });
  await approve(here.store, told(second.id), { arguments: { by: 8 } });
  expect(textOf(await second.outcome)).toBe("8");
  const third = await here.asked({ by: 3 });
  await approve(here.store, told(third.id));
  expect(textOf(await third.outcome)).toBe("3");
  expect(seen).toEqual([1, 7, 2, 8, 3]);
  expect(await runs(here)).toEqual(["8", "3"]);
});

test("a plugin's answer to other arguments is none to those of an approver", async () => {
  const answers: Record<string, string> = { 1: "one", 2: "two" };
  const cache: Plugin = {
    name: "cache",
    hooks: {
      beforeCall({ arguments: { by } }) {
        const result = answers[String(by)];
        return result === undefined ? undefined : { result };
      },
    },
  };
  await using here = await world({ plugins: [cache] });
  for (const [args, expected] of [
    [undefined, "one"],
    [{ by: 2 }, "two"],
    [{ by: 5 }, "5"],
  ] as const) {
    const { id, outcome } = await here.asked({ by: 1 });
    await approve(here.store, told(id), { arguments: args });
    expect(textOf(await outcome)).toBe(expected);
  }
  expect(await runs(here)).toEqual(["5"]);
});

test("a rule of now for the name that a plugin shows the tool by", async () => {
  const rename: Plugin = {
    name: "rename",
    hooks: {
      listTools: (tools) =>
        tools.map((tool) => (tool.tool === "count" ? { ...tool, name: "tally" } : tool)),
    },
  };
  await using here = await world({ plugins: [rename] });
  const { id, outcome } = await here.asked({ by: 1 }, "tally");
  const no = { tools: "tally", do: "deny", reason: "no tallies" } as const;
  await here.host.reconfigure({ servers: [here.entry], policy: [ask, no], graceMs: 100 });
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toMatch(/^denied: .*no tallies/);
  expect(await runs(here)).toEqual([]);
});

test("what somebody was still changing at a terminal is not what others allowed", async () => {
  let changed = Promise.withResolvers<void>();
  let ticks = 0;
  const here = await world({
    approve: async (call, { signal }) => {
      signal.addEventListener("abort", async () => {
        // The check of what was typed ends when others have decided.
        for (let tick = 0; tick < ticks; tick++) await undefined;
        await call.revise({ by: 99 }).catch(() => {});
      });
      if (call.view().arguments["by"] !== 1) return await new Promise<never>(() => {});
      await call.revise({ by: 99 });
      changed.resolve();
      return await new Promise<never>(() => {});
    },
  });
  await using _here = here;
  for (; ticks < 120; ticks += 3) {
    const late = await here.asked({ by: 2 });
    await approve(here.store, told(late.id));
    expect(textOf(await late.outcome)).toBe("2");
  }
  const first = await here.asked({ by: 1 });
  await changed.promise;
  await approve(here.store, told(first.id));
  expect(textOf(await first.outcome)).toBe("1");
  changed = Promise.withResolvers();
  const second = await here.asked({ by: 1 });
  await changed.promise;
  const other = await here.asked({ by: 3 });
  await approve(here.store, told(other.id), { always: { what: "tool" } });
  expect(textOf(await second.outcome)).toBe("1");
  expect(await runs(here)).not.toContain("99");
});

test("however many calls are over, one that waits is found by its id; nothing is found by no id", async () => {
  await using here = await world({ policy: [] });
  const folder = here.home.file("state/mcphost");
  await using store = await openStore({ folder, log: () => {} });
  const about = { owner: "default", server: "one", tool: "count", actor: "gateway", session: "s" };
  const hashes = { definition: "d", config: "c", survives: true, expiresAt: Date.now() + 60_000 };
  const keep = async (id: string) =>
    await store.approvals.ask({ ...about, ...hashes, id, question: "?", proposed: { by: 1 } });
  const id = "00000000-0000-4000-8000-000000000000";
  await keep(id);
  const approvals = (...words: string[]) =>
    mcphost("approvals", ...words)
      .home(here.home.path)
      .run();
  expectRun(await approvals("approve", ""), { code: 2, stderr: /the ID is empty/ });
  // Those that follow are newer, by the clock that rows are ordered by.
  await Bun.sleep(2);
  await Promise.all(
    Array.from({ length: 1001 }, async () => {
      const other = crypto.randomUUID();
      await keep(other);
      await store.approvals.cancel(other, "over");
    }),
  );
  expectRun(await approvals("reject", "00000000"), { code: 0, stdout: /^rejected 00000000 / });
});

test("many questions of one tool: the first always answers the others, in its session alone", async () => {
  await using here = await world();
  const calls = await Promise.all(Array.from({ length: 5 }, (_, i) => here.asked({ by: i })));
  await approve(here.store, told(calls[2]!.id), { always: { what: "session" } });
  const outcomes = await Promise.all(calls.map(({ outcome }) => outcome));
  expect(outcomes.map(textOf)).toEqual(["0", "1", "2", "3", "4"]);
  expect((await runs(here)).toSorted()).toEqual(["0", "1", "2", "3", "4"]);
  await here.store.grants.endSession("s");
  const { id, outcome } = await here.asked({ by: 9 });
  await reject(here.store, told(id), "enough");
  expect(textOf(await outcome)).toMatch(/was rejected: enough/);
});

test("a grant for a server covers the tools that it had then", async () => {
  await using here = await world({ policy: [{ servers: "one", do: "ask" }] });
  const { id, outcome } = await here.asked({ by: 1 });
  await approve(here.store, told(id), { always: { what: "server" } });
  expect(textOf(await outcome)).toBe("1");
  expect(textOf(await here.host.call({ tool: "plain" }))).toBe("plain");
  const [grant] = await here.store.grants.list(undefined);
  expect(Object.keys(grant!.definitions).toSorted()).toEqual(["count", "echo", "plain", "silent"]);
});

test("whoever is here and whoever is elsewhere race: the first answer counts, and the other question ends", async () => {
  const ended: string[] = [];
  const here = await world({
    approve: async (call, { signal }) =>
      await new Promise((resolve) => {
        signal.addEventListener("abort", () => ended.push(call.view().id));
        if (call.view().arguments["by"] === 2) resolve({ approve: true, arguments: { by: 20 } });
      }),
  });
  await using _here = here;
  const first = await here.asked({ by: 1 });
  await approve(here.store, told(first.id));
  expect(textOf(await first.outcome)).toBe("1");
  expect(ended).toEqual([first.id]);
  const second = await here.asked({ by: 2 });
  expect(textOf(await second.outcome)).toBe("20");
  expect(await here.store.approvals.get(undefined, second.id)).toMatchObject({
    state: "completed",
    proposed: { by: 2 },
    effective: { by: 20 },
    decidedBy: "terminal",
  });
});

test("a plugin approves or rejects, and that is kept; at fault it denies", async () => {
  const plugin: Plugin = {
    name: "judge",
    hooks: {
      approve({ arguments: args }) {
        if (args["by"] === 1) return { approve: true, arguments: { by: 10 } };
        if (args["by"] === 2) return { reject: "never two" };
        if (args["by"] === 3) throw new Error("three");
        return undefined;
      },
    },
  };
  await using here = await world({ plugins: [plugin], waits: false });
  const called = async (by: number) => textOf(await (await here.asked({ by })).outcome);
  expect(await called(1)).toBe("10");
  expect(await called(2)).toMatch(/^denied: .*never two/);
  expect(await called(3)).toMatch(/^denied: .*three/);
  expect(await called(4)).toMatch(/^denied: .*needs approval and nobody can be asked here/);
  const rows = await here.store.approvals.list(undefined, ["completed", "rejected", "cancelled"]);
  expect(rows.map(({ proposed, state }) => [proposed["by"], state]).toSorted()).toEqual([
    [1, "completed"],
    [2, "rejected"],
    [3, "rejected"],
    [4, "cancelled"],
  ]);
});

test("expired, and a decision after that", async () => {
  await using here = await world({ timeoutMs: 200 });
  const { id, outcome } = await here.asked({ by: 1 });
  expect(textOf(await outcome)).toMatch(/^denied: nobody answered within 200 ms/);
  await expect(approve(here.store, told(id))).rejects.toThrow("is expired");
  expect(await runs(here)).toEqual([]);
});

test("a store that cannot be used refuses what is asked about, and nothing else", async () => {
  await using other = await tempDir();
  await writeFile(other.file("file"), "");
  const url = other.file("file", "store.db");
  await using here = await world({
    store: () => openStore({ url, folder: undefined, log: () => {} }),
  });
  expect(textOf(await here.host.call({ tool: "count", arguments: { by: 1 } }))).toMatch(
    /^denied: count of server "one" needs approval, and cannot get it: the store .*cannot be written/,
  );
  expect(textOf(await here.host.call({ tool: "plain" }))).toBe("plain");
});

test("arguments that fit the schema no more are refused, and the call waits on", async () => {
  await using here = await world();
  const { id, outcome } = await here.asked({ by: 1 });
  await expect(approve(here.store, told(id), { arguments: { by: "x" } })).rejects.toThrow(
    "expected number",
  );
  expect(await stateOf(here, id)).toBe("pending");
  await approve(here.store, told(id));
  expect(textOf(await outcome)).toBe("1");
  await waitFor(
    async () => (await stateOf(here, id)) === "completed",
    () => "not completed",
  );
});

function auditing(name: string, audit: NonNullable<NonNullable<Plugin["hooks"]>["audit"]>): Plugin {
  return { name, hooks: { audit } };
}

test("plugins take out of the log what must not be kept; at fault they cost an event its particulars", async () => {
  await using here = await world({
    policy: [],
    plugins: [
      auditing("cards", ({ event, detail }) =>
        event === "proposed" ? { detail: { ...detail, arguments: { by: "a number" } } } : undefined,
      ),
      auditing("broken", ({ event, outcome }) => {
        if (event === "answered") throw new Error("no");
        if (outcome === "allowed") return { detail: "x" } as never;
        if (event === "sent") return Promise.resolve({ detail: {} }) as never;
        return undefined;
      }),
    ],
  });
  expect(textOf(await here.host.call({ tool: "count", arguments: { by: 7 } }))).toBe("7");
  const rows = await here.store.auditRows({}, { after: 0, limit: 10 });
  const leftOut = { left_out: "by plugin broken" };
  expect(rows.map(({ event, detail }) => [event, detail])).toEqual([
    ["proposed", { arguments: { by: "a number" } }],
    ["decided", leftOut],
    ["sent", leftOut],
    ["answered", leftOut],
  ]);
  expect(here.logged.filter(({ text }) => text.includes('plugin "broken": audit:'))).toHaveLength(
    3,
  );
});
