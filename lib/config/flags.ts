/** Flags that hold for every server: `--env`, `--inherit-env`, `--cwd`, `--header`, `--protocol`. Pure. */
import { HostError } from "../base/errors.ts";
import { legacyRevisions, modernRevisions } from "../protocol/codecs.ts";
import type { Env } from "./paths.ts";
import type { ServerConfig } from "./types.ts";

export interface ServerFlags {
  /** `K=V`, or `K` for our own value of it. */
  env?: readonly string[] | undefined;
  inheritEnv?: boolean | undefined;
  /** Absolute. */
  cwd?: string | undefined;
  /** `K: V`; expanded as in a config. */
  headers?: readonly string[] | undefined;
  protocol?: string | undefined;
}

/** The servers with the flags over what their configs say. @throws HostError `usage` */
export function applyFlags(
  servers: ServerConfig[],
  flags: ServerFlags,
  ownEnv: Env,
): ServerConfig[] {
  const env = flags.env?.length ? readEnv(flags.env, ownEnv) : undefined;
  const headers = flags.headers?.length ? readHeaders(flags.headers) : undefined;
  const { inheritEnv, cwd, protocol } = flags;
  const known = ["auto", "legacy", "modern", ...legacyRevisions, ...modernRevisions];
  if (protocol !== undefined && !known.includes(protocol))
    throw new HostError("usage", `--protocol ${protocol} is unknown`, {
      hint: `write one of ${known.join(", ")}`,
    });
  return servers.map((server) => ({
    ...server,
    ...(protocol === undefined ? {} : { protocol }),
    ...(server.kind === "http" && headers ? { headers: withHeaders(server.headers, headers) } : {}),
    ...(server.kind === "stdio" && env ? { givenEnv: { ...server.givenEnv, ...env } } : {}),
    ...(server.kind === "stdio" && inheritEnv !== undefined ? { inheritEnv } : {}),
    ...(server.kind === "stdio" && cwd !== undefined ? { cwd } : {}),
  }));
}

/**
 * What is to be said of flags that have no effect on any of the servers: `names` are all that were given. None where there
 * is no server.
 */
export function idleFlags(servers: readonly ServerConfig[], names: readonly string[]): string[] {
  const kinds = new Set(servers.map(({ kind }) => kind));
  if (kinds.size !== 1) return [];
  const [wanted, why] = kinds.has("http")
    ? [ofStarted, "no server here is started by a command"]
    : [ofReached, "no server here is reached by a URL"];
  return names
    .filter((name) => wanted.includes(name))
    .map((name) => `--${name} has no effect: ${why}`);
}

// --- internal ---

const ofStarted = ["env", "inherit-env", "cwd", "stderr"];
const ofReached = ["header"];

function readEnv(flags: readonly string[], ownEnv: Env): Record<string, string> {
  const env: Record<string, string> = Object.create(null);
  for (const flag of flags) {
    const at = flag.indexOf("=");
    const name = at < 0 ? flag : flag.slice(0, at);
    const value =
      at < 0 ? (Object.hasOwn(ownEnv, name) ? ownEnv[name] : undefined) : flag.slice(at + 1);
    if (name === "" || flag.includes("\0"))
      throw new HostError("usage", "--env needs the name of a variable", {
        hint: "write --env NAME=VALUE, or --env NAME",
      });
    if (value === undefined)
      throw new HostError("usage", `--env ${name}: ${name} is not set here`, {
        hint: `set it, or write --env ${name}=VALUE`,
      });
    env[name] = value;
  }
  return env;
}

function readHeaders(flags: readonly string[]): [string, string][] {
  return flags.map((flag) => {
    const [, name, value = ""] =
      /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*)$/.exec(flag) ?? [];
    // The flag itself is not shown: its value may be a secret.
    if (name === undefined) throw new HostError("usage", "--header is written 'NAME: VALUE'");
    return [name, value.trimEnd()];
  });
}

/** Names of headers have no case. */
function withHeaders(
  written: Record<string, string>,
  given: [string, string][],
): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  const names = new Set(given.map(([name]) => name.toLowerCase()));
  for (const [name, value] of Object.entries(written))
    if (!names.has(name.toLowerCase())) headers[name] = value;
  for (const [name, value] of given) headers[name] = value;
  return headers;
}
