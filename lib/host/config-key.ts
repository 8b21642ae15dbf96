/** The parts of a server's configuration that say which server it is: grants are bound to them. Pure. */
import { hashOf } from "../hooks/grants.ts";
import type { ServerKey } from "../store/types.ts";
import type { HostedConfig } from "./server-types.ts";

/** A server as approvals and grants know it. */
export function serverKey(config: HostedConfig): ServerKey {
  return { name: config.name, config: hashOf(configKey(config)) };
}

// --- internal ---

/** As written, before anything is filled in. Names for people, time-outs and the like make no other server of it. */
function configKey(config: HostedConfig): object {
  if (config.kind === "plugin") return { plugin: config.name };
  if (config.kind === "http") {
    const { kind, transport, url, headers, tls } = config;
    return { kind, transport, url, headers, tls };
  }
  const { kind, command, args, env, envFile, cwd, inheritEnv, literal, givenEnv } = config;
  return { kind, command, args, env, envFile, cwd, inheritEnv, literal, givenEnv };
}
