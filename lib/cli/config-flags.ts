/** The config that checked flags come to: where it is read from, and what the flags say over it. It opens nothing. */
import { startDefaultMs } from "../client/plan.ts";
import { idleFlags } from "../config/flags.ts";
import { loadConfig } from "../config/load.ts";
import type { LoadOptions } from "../config/load.ts";
import { resolvePath } from "../config/paths.ts";
import type { Config, PolicyRule, ServerConfig } from "../config/types.ts";
import { durationOf, listOf, textOf } from "./flags.ts";
import type { Io, Parsed, ReadConfig } from "./types.ts";

/** Where the flags say that the config comes from, and what they say of its servers. */
export function loadOptionsOf({ flags, rest }: Parsed, io: Pick<Io, "cwd" | "env">): LoadOptions {
  const cwd = textOf(flags["cwd"]);
  return {
    files: listOf(flags["config"]),
    json: listOf(flags["config-json"]),
    servers: listOf(flags["server"]),
    rest,
    cwd: io.cwd,
    env: io.env,
    noUserConfig: flags["no-user-config"] === true,
    flags: {
      env: listOf(flags["env"]),
      headers: listOf(flags["header"]),
      inheritEnv: flags["inherit-env"] === true ? true : undefined,
      cwd: cwd === undefined ? undefined : resolvePath(io.cwd, cwd),
      protocol: textOf(flags["protocol"]),
    },
  };
}

/**
 * The config that the flags name or that is found here.
 * @param read a file of it that was read already
 * @throws HostError `usage` `config`
 */
export async function configFromFlags(
  parsed: Parsed,
  io: Pick<Io, "cwd" | "env">,
  read?: ReadConfig,
): Promise<Config> {
  const { flags } = parsed;
  const config = await loadConfig({ ...loadOptionsOf(parsed, io), read });
  config.policy.push(...policyOf(flags));
  const origin = { label: "--plugin", kind: "named" } as const;
  for (const spec of listOf(flags["plugin"])) config.plugins.push({ spec, written: spec, origin });
  config.warnings.push(...idleFlags(config.servers, givenOf(flags)));
  const timeoutMs = durationOf(flags, "timeout");
  if (timeoutMs !== undefined)
    config.servers = config.servers.map((server) => timed(server, timeoutMs));
  return config;
}

// --- internal ---

function givenOf(flags: Parsed["flags"]): string[] {
  return Object.keys(flags).filter((name) => flags[name] !== undefined && flags[name] !== false);
}

/**
 * A server that is only reached is waited for no longer than the flag says, whatever its entry says of its start. One that is
 * started has as long for that where the flag's time is the longer one: its package may have to be fetched first.
 */
function timed(server: ServerConfig, timeoutMs: number): ServerConfig {
  const { kind, startTimeoutMs } = server;
  if (kind === "stdio") {
    const startMs = startTimeoutMs ?? startDefaultMs;
    return { ...server, timeoutMs, ...(timeoutMs > startMs && { startTimeoutMs: timeoutMs }) };
  }
  if (startTimeoutMs === undefined) return { ...server, timeoutMs };
  return { ...server, timeoutMs, startTimeoutMs: Math.min(timeoutMs, startTimeoutMs) };
}

function policyOf(flags: Parsed["flags"]): PolicyRule[] {
  const rules: PolicyRule[] = [];
  for (const what of ["allow", "deny", "ask"] as const) {
    const origin = { label: `--${what}-tool`, kind: "named" } as const;
    for (const tools of listOf(flags[`${what}-tool`]))
      rules.push({ tools, do: what, origin, ...(what === "allow" && { answers: true }) });
  }
  if (flags["allow-all"] === true)
    rules.push({ do: "allow", answers: true, origin: { label: "--allow-all", kind: "named" } });
  return rules;
}
