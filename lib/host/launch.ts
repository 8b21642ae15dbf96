/** One start of one server: from its config entry to a greeted client (of a remote one in reach.ts). Knows nothing of earlier or later starts. */
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import type { Answers } from "../client/answer-types.ts";
import { clientInfo } from "../client/declared.ts";
import { verdictKey } from "../client/eras.ts";
import { startDefaultMs } from "../client/plan.ts";
import type { McpClient } from "../client/types.ts";
import type { StdioServer } from "../config/types.ts";
import type { Child } from "../process/child.ts";
import { childEnv } from "../process/env.ts";
import { spawnChild } from "../process/spawn.ts";
import type { Transport } from "../transport/transport.ts";
import type { LaunchContext, LaunchOptions } from "./launch-types.ts";
import type { HostedConfig } from "./server-types.ts";

/**
 * Starts and greets a server.
 * @throws HostError `server_start` `config` `denied` `usage` `cancelled`
 */
export async function launch(config: HostedConfig, options: LaunchOptions): Promise<McpClient> {
  const { context, signal, forget = false } = options;
  if (config.kind === "plugin") {
    const [{ connect }] = await rooms();
    return await connect({ ...commonOf(config, options), open: config.open });
  }
  const { log, limits = {} } = context;
  const server = await context.prepare(config, signal);
  signal.throwIfAborted();
  if (server.kind === "http") {
    const { reach } = await import("./reach.ts");
    const common = { ...commonOf(server, options), session: options.session };
    return await reach(server, { context, common, forget });
  }
  // Of many, the first may leave no descriptor to read a file by.
  if (context.servers.length > crowd) await rooms();
  // The process starts while we load what speaks to it, and find out what is known of it.
  let early: Child | undefined = context.take(server.name) ?? spawn(server, context);
  let warned = false;
  const verdicts = server.protocol === "auto" ? context.verdicts : undefined;
  try {
    const key = verdictKey(server);
    const [[{ connect }, { openStdio }], verdict] = await Promise.all([
      rooms(),
      verdicts?.read(key),
    ]);
    const client = await connect({
      ...commonOf(server, options),
      verdict,
      open: async () => {
        const child = early ?? spawn(server, context);
        early = undefined;
        const { lineBytesMax } = limits;
        // Started again because it ended on the probe, it says the same again.
        const again = warned;
        const heard: Log = (entry) => {
          warned ||= entry.level === "warn";
          log(again && entry.level === "warn" ? { ...entry, level: "debug" } : entry);
        };
        const heardBy = { name: server.name, log: heard, ...(lineBytesMax && { lineBytesMax }) };
        return openStdio(child, heardBy);
      },
    });
    if (verdicts !== undefined && client.verdict !== verdict)
      context.keep(verdicts.write(key, client.verdict));
    return client;
  } finally {
    await early?.[Symbol.asyncDispose]();
  }
}

// --- internal ---

/** From how many servers on it costs nothing to speak of that each waits until the first has loaded all. */
const crowd = 8;

/** What speaks to a server. */
const rooms = () =>
  Promise.all([import("../client/client.ts"), import("../transport/stdio.ts")] as const);

/** Of a connection, what is the same for every kind of server. */
function commonOf(
  server: HostedConfig,
  { context, signal, onListChanged, onSilent }: LaunchOptions,
) {
  const { answers = {}, limits, log, seen, serverLogLevel = "warning" } = context;
  const startTimeoutMs = startTimeoutOf(server);
  return {
    ...limits,
    name: server.name,
    clientInfo,
    answers: answersFor(server, answers),
    log,
    signal,
    protocol: server.protocol,
    ...(serverLogLevel !== null && { logLevel: serverLogLevel }),
    ...(startTimeoutMs !== undefined && { startTimeoutMs }),
    onListChanged,
    onSilent,
    onLog: (params: JsonObject) => context.heard(server.name, params),
    ...(seen && { seen: (link: Transport) => seen(server.name, link) }),
  };
}

/** Nobody waits longer for the first word of a server that runs already than for any other; a process takes time to start. */
function startTimeoutOf({ kind, timeoutMs, startTimeoutMs }: HostedConfig): number | undefined {
  if (startTimeoutMs !== undefined || kind === "stdio" || timeoutMs === undefined)
    return startTimeoutMs;
  return Math.min(timeoutMs, startDefaultMs);
}

function spawn(server: StdioServer, context: LaunchContext): Child {
  const { name, command, args, cwd, stopMs } = server;
  const stderrTailBytes = context.limits?.stderrTailBytes;
  const child = spawnChild(
    { name, command, args, env: childEnv(context.env, server), ...(cwd !== undefined && { cwd }) },
    {
      log: context.log,
      reaper: context.guard(),
      ...(stopMs !== undefined && { stopMs }),
      ...(stderrTailBytes !== undefined && { stderrTailBytes }),
    },
  );
  context.spawned(child);
  return child;
}

/** A server's own `roots` are what it is told of, whoever answers for the others. */
function answersFor({ roots }: HostedConfig, answers: Answers): Answers {
  if (roots === undefined) return answers;
  const list = roots.map((root): JsonObject => ({ uri: uriOf(root) }));
  const { relay } = answers;
  if (relay === undefined) return { ...answers, roots: async () => list };
  return {
    relay: {
      ...relay,
      capabilities: { ...relay.capabilities, roots: {} },
      ask: async (method, params, asked) =>
        method === "roots/list" ? { roots: list } : await relay.ask(method, params, asked),
    },
  };
}

function uriOf(root: string): string {
  return root.startsWith("file://") ? root : Bun.pathToFileURL(root).href;
}
