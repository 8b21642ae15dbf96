/** A host over a store, in one process, whose calls are asked about. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import type { Plugin } from "../../lib/hooks/plugin.ts";
import { setUpPlugins } from "../../lib/hooks/runner.ts";
import { StoredApprovals } from "../../lib/host/approvals.ts";
import type { Approver } from "../../lib/host/gate-types.ts";
import { openHost } from "../../lib/host/host.ts";
import { openPluggedHost } from "../../lib/host/plugins.ts";
import type { ChangeableHost } from "../../lib/host/reconfigure-types.ts";
import { StoreRecorder } from "../../lib/host/record.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { bunAlone, root, type TempDir, tempDir } from "../harness.ts";

/** The rule that asks about every tool. */
export const ask: PolicyRule = { tools: "count", do: "ask" };

interface World extends AsyncDisposable {
  host: ChangeableHost;
  store: Store;
  home: TempDir;
  logged: LogEntry[];
  entry: ServerConfig;
  /** Calls it, and waits until it waits. */
  asked(args: object, tool?: string): Promise<{ id: string; outcome: Promise<Outcome> }>;
}

/** A host over one server of two tools. */
export async function world({
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

/** What a call that did not complete says. */
export const told = (id: string) => ({ owner: undefined, id, by: "test" });

/** The arguments of each run of the tool: each leaves a line. */
export const runs = async ({ home }: World) => {
  const file = Bun.file(home.file("runs"));
  return (await file.exists()) ? (await file.text()).trim().split("\n") : [];
};

/** In which state a call is kept. */
export const stateOf = async ({ store }: World, id: string) =>
  (await store.approvals.get(undefined, id))?.state;
