/** An open host whose servers and rules are changed. */
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule, ServerConfig } from "../../lib/config/types.ts";
import { openHost } from "../../lib/host/host.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import type { ChangeableHost } from "../../lib/host/reconfigure-types.ts";
import type { HostEvent } from "../../lib/host/types.ts";
import type { Plan } from "../fixtures/host/server.ts";
import { textOf, tools } from "./kit.ts";

/** The fixture of the host's tests. */
export const program = join(import.meta.dir, "../fixtures/host/server.ts");

/** The tools that a server has when nothing else is said. */
export const usual = tools("echo", "pid", "silent", "wait");

/** A server of the config that runs that fixture. */
export function entry(name: string, plan: Plan = {}, more: object = {}): ServerConfig {
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

/** The host, its events, and a way to change it. */
export interface Opened extends AsyncDisposable {
  host: ChangeableHost;
  events: HostEvent[];
  change(servers: ServerConfig[], policy?: PolicyRule[], graceMs?: number): Promise<unknown>;
}

/** A host over these servers, without rules. */
export function open(servers: ServerConfig[], options: Partial<OpenHostOptions> = {}): Opened {
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

/** The text of a call. */
export async function call({ host }: Opened, tool: string, args = {}): Promise<string> {
  return textOf(await host.call({ tool, arguments: args }));
}

/** Whether there is a process of this pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
