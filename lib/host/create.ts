/** The host as a module's user opens it: plain options, checked and made into config entries, nothing more. */
import { HostError } from "../base/errors.ts";
import { silent } from "../base/log.ts";
import type { ServerConfig, ServerTls } from "../config/types.ts";
import type { Plugin } from "../hooks/plugin.ts";
import { isSocketUrl } from "../transport/remote.ts";
import { guardedFeatures } from "./guard-features.ts";
import { guardedCall, guardedLog } from "./guard.ts";
import { openHost } from "./host.ts";
import type { OpenedHost } from "./opened-types.ts";
import type { HostOptions, HostServer, OpenHostOptions } from "./option-types.ts";
import type { Host } from "./types.ts";

/**
 * Opens a host over the given servers; they start when first used. Close it with `await using`, or by aborting
 * `options.signal`.
 * @throws HostError `usage` for options that are not understood, the first of them by its path
 */
export async function createHost(options: HostOptions): Promise<Host> {
  const { checkOptions } = await import("./check-options.ts");
  checkOptions(options);
  const { servers, policy = [], plugins = [], env = {}, signal, limits, answers } = options;
  const log = guardedLog(options.log ?? silent);
  const entries = Object.entries(servers).map(([name, server]) => toEntry(name, server));
  const opened: OpenHostOptions = {
    servers: entries,
    prepare: async (server) => (server.kind === "http" ? await withPem(server) : server),
    policy,
    env,
    signal: signal ?? new AbortController().signal,
    log,
    ...(limits && { limits }),
    ...(answers && { answers }),
  };
  const host = plugins.length === 0 ? openHost(opened) : await openPlugged(plugins, opened);
  const close = () => void host[Symbol.asyncDispose]();
  if (signal?.aborted) close();
  else signal?.addEventListener("abort", close, { once: true });
  for (const { name, lifecycle } of entries) if (lifecycle === "eager") host.warm(name);
  return {
    ...host,
    ...guardedFeatures(host),
    call: guardedCall(host.call, log),
    // Whoever listens stays, and wants to hear of changes; a modern server tells of them only where it is asked to.
    events() {
      host.keepFresh();
      return host.events();
    },
  };
}

// --- internal ---

/** @throws HostError `config`: what is no plugin, or could not be set up */
async function openPlugged(
  plugins: readonly Plugin[],
  options: OpenHostOptions,
): Promise<OpenedHost> {
  const [{ setUpPlugins }, { openPluggedHost }] = await Promise.all([
    import("../hooks/runner.ts"),
    import("./plugins.ts"),
  ]);
  const { log, limits } = options;
  const named = plugins.map((plugin, at) => ({ plugin, from: `plugins[${at}]` }));
  const runner = await setUpPlugins({ ...limits, plugins: named, log });
  return await openPluggedHost(runner, options);
}

function toEntry(name: string, server: HostServer): ServerConfig {
  const given = Object.entries(server).filter(([, value]) => value !== undefined);
  const common = {
    protocol: "auto",
    lifecycle: "lazy",
    ...Object.fromEntries(given),
    name,
    origin: { label: "createHost", kind: "named" },
    written: server,
  } as const;
  if ("command" in server)
    return { args: [], env: {}, ...common, kind: "stdio", command: server.command };
  const { url, transport = isSocketUrl(url) ? "ws" : "auto" } = server;
  return { headers: {}, ...common, kind: "http", url, transport };
}

/** The server with the text of its files. @throws HostError `config` */
async function withPem(server: ServerConfig & { kind: "http" }): Promise<ServerConfig> {
  const tls: ServerTls = { ...server.tls };
  for (const key of ["ca", "cert", "key"] as const) {
    const file = tls[key];
    if (file === undefined || file.startsWith("-----BEGIN")) continue;
    try {
      tls[key] = await Bun.file(file).text();
    } catch (error) {
      const text = `server "${server.name}": tls.${key}: ${file} cannot be read`;
      throw new HostError("config", text, { facts: { server: server.name, file }, cause: error });
    }
  }
  return server.tls === undefined ? server : { ...server, tls };
}
