/** Hosts over fixture servers, for tests. */
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { PolicyRule } from "../../lib/config/types.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostOptions, HostServer } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";
import type { Plan } from "../fixtures/host/server.ts";

const program = join(import.meta.dir, "../fixtures/host/server.ts");

/** What one fixture server is told, and what the host is told of it. */
export type Fixture = Partial<HostServer> & Plan;

export interface TestHost extends Host {
  /** All that was logged so far. */
  logged: LogEntry[];
}

/** A host over fixture servers. It takes the environment that processes are found by. */
export async function hostOver(
  fixtures: Record<string, Fixture>,
  options: Omit<HostOptions, "servers"> & { policy?: PolicyRule[] } = {},
): Promise<TestHost> {
  const logged: LogEntry[] = [];
  const servers = Object.entries(fixtures).map(([name, fixture]) => {
    const { tools: listed, starts, startMs, silentList, exitAfterList, ...rest } = fixture;
    const { declares, cancels, diesOfCancel, ...server } = rest;
    const told = { tools: listed, starts, startMs, silentList, exitAfterList };
    const plan = JSON.stringify({ ...told, declares, cancels, diesOfCancel });
    return [name, { command: process.execPath, args: [program, plan], stopMs: 300, ...server }];
  });
  const host = await createHost({
    servers: Object.fromEntries(servers),
    env: process.env,
    log: (entry) => logged.push(entry),
    ...options,
  });
  return { ...host, logged };
}

/** Tools that take anything. */
export function tools(...names: string[]): unknown[] {
  return names.map((name) => ({ name, inputSchema: { type: "object" } }));
}

/** The text of a completed call; of anything else its status and message. */
export function textOf(outcome: Outcome): string {
  if (outcome.status !== "completed")
    return `${outcome.status}: ${outcome.error?.message ?? "the tool's own error"}`;
  const { content } = outcome.result;
  const [block] = Array.isArray(content) ? content : [];
  return String((block as { text?: unknown } | undefined)?.text);
}
