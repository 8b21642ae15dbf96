/**
 * Every way to the fixture server: each transport in each era that it has. What is tested of features is tested over all of
 * them, through the real host.
 */
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { Outcome } from "../../lib/hooks/call.ts";
import { createHost } from "../../lib/host/create.ts";
import type { HostOptions, HostServer } from "../../lib/host/option-types.ts";
import type { Host } from "../../lib/host/types.ts";
import type { Era } from "../../lib/protocol/mcp.ts";
import { serveRemote } from "../fixtures/remote/server.ts";
import type { RemoteServer, RemoteServerOptions } from "../fixtures/remote/server.ts";

export interface Way {
  name: string;
  era: Era;
  /** Undefined: a process on stdio. */
  transport?: RemoteServerOptions["transport"];
  /** More of the server, where it is not a process. */
  options?: Partial<RemoteServerOptions>;
}

/** For `describe.each`. */
export const ways: Way[] = [
  { name: "stdio, legacy", era: "legacy" },
  { name: "stdio, modern", era: "modern" },
  { name: "HTTP, legacy", era: "legacy", transport: "http" },
  { name: "HTTP, modern", era: "modern", transport: "http" },
  { name: "HTTP+SSE", era: "legacy", transport: "sse" },
  { name: "WebSocket, legacy", era: "legacy", transport: "ws" },
  { name: "WebSocket, modern", era: "modern", transport: "ws" },
];

/** A host over one server, called `srv`. */
export interface OnWay extends AsyncDisposable {
  host: Host;
  logged: LogEntry[];
  /** Undefined on stdio. */
  server: RemoteServer | undefined;
  /** The text of a call that completed; of any other its status and error. */
  say(tool: string, args?: Record<string, string | number | boolean>): Promise<string>;
}

const program = join(import.meta.dir, "../fixtures/remote/stdio.ts");

export async function openWay(
  { era, transport, options }: Way,
  {
    entry,
    served,
    ...more
  }: Partial<Omit<HostOptions, "servers">> & {
    entry?: Partial<HostServer>;
    served?: Partial<RemoteServerOptions>;
  } = {},
): Promise<OnWay> {
  const server =
    transport === undefined
      ? undefined
      : await serveRemote({ transport, era, ...options, ...served });
  const logged: LogEntry[] = [];
  const told =
    server === undefined
      ? { command: process.execPath, args: [program, era, JSON.stringify(served ?? {})] }
      : { url: server.url, ...(transport === "sse" && { transport }) };
  const host = await createHost({
    servers: { srv: { ...told, ...entry } as HostServer },
    env: process.env,
    log: (line) => void logged.push(line),
    ...more,
  });
  return {
    host,
    logged,
    server,
    say: async (tool, args = {}) => sayOf(await host.call({ tool, arguments: args })),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    },
  };
}

export function sayOf(outcome: Outcome): string {
  if (outcome.status === "completed") return textOf(outcome.result);
  if (outcome.status === "detached") return "detached";
  if (outcome.error !== undefined) return `${outcome.status}: ${outcome.error.message}`;
  return `failed: ${textOf(outcome.result)}`;
}

/** The first text of a result. */
export function textOf({ content }: { content?: unknown }): string {
  const [first] = Array.isArray(content) ? (content as { text?: unknown }[]) : [];
  return String(first?.text);
}
