/** The host as a module's user opens it: plain options, checked and made into config entries, nothing more. */
import { silent } from "../base/log.ts";
import type { StdioServer } from "../config/types.ts";
import { guardedCall, guardedLog } from "./guard.ts";
import { openHost } from "./host.ts";
import type { Host, HostOptions, HostServer } from "./types.ts";

/**
 * Opens a host over the given servers; they start when first used. Close it with `await using`, or by aborting
 * `options.signal`.
 * @throws HostError `usage` for options that are not understood, the first of them by its path
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const { checkOptions } = await import("./check-options.ts");
  checkOptions(options);
  const { servers, policy = [], env = {}, signal, limits, answers } = options;
  const log = guardedLog(options.log ?? silent);
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
  return { ...host, call: guardedCall(host.call, log) };
}

// --- internal ---

function toEntry(name: string, server: HostServer): StdioServer {
  const given = Object.entries(server).filter(([, value]) => value !== undefined);
  return {
    args: [],
    env: {},
    protocol: "auto",
    lifecycle: "lazy",
    ...(Object.fromEntries(given) as unknown as HostServer),
    kind: "stdio",
    name,
    origin: { label: "createHost", kind: "named" },
    written: server,
  };
}
