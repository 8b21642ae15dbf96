/** The host as a module's user opens it: plain options made into config entries, nothing more. */
import { HostError } from "../base/errors.ts";
import { silent } from "../base/log.ts";
import type { StdioServer } from "../config/types.ts";
import { openHost } from "./host.ts";
import type { Host, HostOptions, HostServer } from "./types.ts";

/**
 * Opens a host over the given servers; they start when first used. Close it with `await using`, or by aborting
 * `options.signal`.
 * @throws HostError `usage` for a server without a command
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const { servers, policy = [], env = {}, signal, log = silent, limits, answers } = options;
  const entries = Object.entries(servers).map(([name, server]) => toEntry(name, server));
  const host = openHost({
    servers: entries,
    prepare: async (server) => server as StdioServer,
    policy,
    env,
    signal: signal ?? new AbortController().signal,
    log,
    ...(limits && { limits }),
    ...(answers && { answers }),
  });
  const close = () => void host[Symbol.asyncDispose]();
  if (signal?.aborted) close();
  else signal?.addEventListener("abort", close, { once: true });
  for (const { name, lifecycle } of entries) if (lifecycle === "eager") host.warm(name);
  return host;
}

// --- internal ---

function toEntry(name: string, server: HostServer): StdioServer {
  if (typeof server?.command !== "string" || server.command === "")
    throw new HostError("usage", `server "${name}" has no command`, {
      facts: { server: name },
      hint: '{ command: "…", args: ["…"] } starts a server',
    });
  return {
    args: [],
    env: {},
    protocol: "auto",
    lifecycle: "lazy",
    ...server,
    kind: "stdio",
    name,
    origin: { label: "createHost", kind: "named" },
    written: server,
  };
}
