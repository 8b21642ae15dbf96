/** A served host over fixture servers on any free port, and small ways to ask it. */
import { join } from "node:path";

import type { LogEntry } from "../../lib/base/log.ts";
import type { ServerConfig } from "../../lib/config/types.ts";
import { openHost } from "../../lib/host/host.ts";
import type { OpenedHost } from "../../lib/host/opened-types.ts";
import type { OpenHostOptions } from "../../lib/host/option-types.ts";
import { faces } from "../../lib/serve/faces.ts";
import type { Served, ServeOptions } from "../../lib/serve/serve-types.ts";
import { serve } from "../../lib/serve/serve.ts";
import type { Plan } from "../fixtures/host/server.ts";

const program = join(import.meta.dir, "../fixtures/host/server.ts");

/** One server: a command of its own, or what the fixture of the host's tests is told. */
export type Fixture = Partial<ServerConfig> & { command?: string; args?: string[] } & Plan;

export interface KitOptions extends Partial<Omit<ServeOptions, "host">> {
  /** More of the host's options: `policy`, `limits`, `answers`. */
  hostOptions?: Partial<OpenHostOptions>;
  /** What is served in place of the host itself. */
  over?: (host: OpenedHost) => OpenedHost;
}

export interface ServedHost extends AsyncDisposable {
  served: Served;
  host: OpenedHost;
  /** All that was logged so far. */
  logged: LogEntry[];
  /** Asks at a path; a `json` becomes a POST with its body and type. */
  ask(path: string, options?: AskOptions): Promise<Response>;
}

export interface AskOptions extends RequestInit {
  json?: unknown;
  token?: string;
}

/** A host over fixture servers, served on port 0. */
export function serveOver(
  fixtures: Record<string, Fixture> = {},
  { hostOptions, over = (host) => host, ...options }: KitOptions = {},
): ServedHost {
  const logged: LogEntry[] = [];
  const log = (entry: LogEntry) => void logged.push(entry);
  const scope = new AbortController();
  const opened = openHost({
    servers: Object.entries(fixtures).map(([name, fixture]) => configOf(name, fixture)),
    prepare: async (server) => server,
    policy: [],
    env: process.env,
    signal: scope.signal,
    log,
    ...hostOptions,
  });
  const host = over(opened);
  const servers = Object.keys(fixtures).map((name) => configOf(name, fixtures[name]!));
  const served = serve({ host, log, faces, servers, port: 0, ...options });
  return {
    served,
    host,
    logged,
    ask: (path, asked = {}) => fetch(served.url + path, requestInit(asked)),
    async [Symbol.asyncDispose]() {
      await served.stop();
      await host[Symbol.asyncDispose]();
    },
  };
}

/** Sends bytes as they are over a connection of its own, and gives all that came until it closed or `ms` (500) were over. */
export async function sendRaw(port: number, text: string | string[], ms = 500): Promise<string> {
  let got = "";
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data(_socket, data) {
        got += data.toString();
      },
      close: () => resolve(),
      error: () => resolve(),
    },
  });
  for (const part of typeof text === "string" ? [text] : text) {
    socket.write(part);
    socket.flush();
  }
  await Promise.race([promise, Bun.sleep(ms)]);
  socket.end();
  return got;
}

// --- internal ---

function requestInit({ json, token, headers, ...init }: AskOptions): RequestInit {
  return {
    ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
    ...init,
    headers: {
      ...(json !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(headers as Record<string, string> | undefined),
    },
  };
}

function configOf(name: string, fixture: Fixture): ServerConfig {
  const { tools, starts, startMs, silentList, exitAfterList, ...rest } = fixture;
  const { declares, cancels, diesOfCancel, ...server } = rest;
  const told = {
    tools,
    starts,
    startMs,
    silentList,
    exitAfterList,
    declares,
    cancels,
    diesOfCancel,
  };
  return {
    kind: "stdio",
    name,
    origin: { label: "test", kind: "named" },
    written: {},
    protocol: "auto",
    lifecycle: "lazy",
    command: process.execPath,
    args: [program, JSON.stringify(told)],
    env: {},
    stopMs: 300,
    literal: true,
    ...server,
  } as ServerConfig;
}
