/** One start of one server: from its config entry to a greeted client. Knows nothing of earlier or later starts. */
import { version } from "../../package.json";
import type { JsonObject } from "../base/json.ts";
import type { Log } from "../base/log.ts";
import { verdictKey } from "../client/eras.ts";
import type { Answers, McpClient } from "../client/types.ts";
import type { ServerConfig, StdioServer } from "../config/types.ts";
import type { Child, Reaper } from "../process/child.ts";
import { childEnv } from "../process/env.ts";
import { spawnChild } from "../process/spawn.ts";
import type { OpenHostOptions } from "./types.ts";

/** What all starts of a host share. */
export interface LaunchContext extends OpenHostOptions {
  /** The reaper, started when first asked for; undefined where there is none. */
  guard: () => Reaper | undefined;
  /** The process of a server that runs already, once. */
  take: (server: string) => Child | undefined;
  /** Is told of each process as soon as it runs. */
  spawned: (child: Child) => void;
  /** Keeps a promise that must be done before the host leaves. */
  keep: (work: Promise<void>) => void;
}

export interface LaunchOptions {
  context: LaunchContext;
  /** Gives up the start; afterwards it has no meaning. */
  signal: AbortSignal;
  onListChanged: (list: "tools" | "prompts" | "resources") => void;
}

/**
 * Starts and greets a server.
 * @throws HostError `server_start` `config` `denied` `usage` `cancelled`
 */
export async function launch(config: ServerConfig, options: LaunchOptions): Promise<McpClient> {
  const { context, signal, onListChanged } = options;
  const { log, limits = {}, serverLogLevel = "warning" } = context;
  const server = await context.prepare(config, signal);
  signal.throwIfAborted();
  // The process starts while we load what speaks to it, and find out what is known of it.
  let early: Child | undefined = context.take(server.name) ?? spawn(server, context);
  let warned = false;
  const verdicts = server.protocol === "auto" ? context.verdicts : undefined;
  try {
    const key = verdictKey(server);
    const [{ connect }, { openStdio }, verdict] = await Promise.all([
      import("../client/client.ts"),
      import("../transport/stdio.ts"),
      verdicts?.read(key),
    ]);
    const client = await connect({
      ...limits,
      name: server.name,
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
      clientInfo: { name: "mcphost", version },
      answers: answersFor(server, context.answers ?? {}),
      log,
      signal,
      protocol: server.protocol,
      verdict,
      logLevel: serverLogLevel,
      ...(server.startTimeoutMs !== undefined && { startTimeoutMs: server.startTimeoutMs }),
      onListChanged,
    });
    if (verdicts !== undefined && client.verdict !== verdict)
      context.keep(verdicts.write(key, client.verdict));
    return client;
  } finally {
    await early?.[Symbol.asyncDispose]();
  }
}

// --- internal ---

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
function answersFor({ roots }: StdioServer, answers: Answers): Answers {
  if (roots === undefined) return answers;
  const list = roots.map((root): JsonObject => ({ uri: uriOf(root) }));
  return { ...answers, roots: async () => list };
}

function uriOf(root: string): string {
  return root.startsWith("file://") ? root : Bun.pathToFileURL(root).href;
}
