/**
 * The environment of a server: a small base of ours, and what its own configuration says. Our other variables (keys,
 * tokens) never reach a server unless somebody says so. Pure.
 */
import { HostError } from "../base/errors.ts";

export interface ChildEnvSpec {
  /** The server's configured name, for messages. */
  name: string;
  /** The server's own variables; null takes one of the base away. */
  env?: Readonly<Record<string, string | null>>;
  /** All of ours instead of the small base. @default false */
  inheritEnv?: boolean;
}

/**
 * The whole environment of a child.
 * @throws HostError `config` naming the variable that cannot be one (empty name, `=` or NUL in it, NUL in its value)
 */
export function childEnv(
  ours: Readonly<Record<string, string | undefined>>,
  { name: server, env = {}, inheritEnv = false }: ChildEnvSpec,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const isWindows = platform === "win32";
  const result = Object.create(null) as Record<string, string>;
  // The names alone: each value of the real environment is made when it is read.
  for (const name of Object.keys(ours)) {
    // Windows does not tell cases apart.
    const isBase = isWindows ? isWindowsBase(name.toUpperCase()) : isPosixBase(name);
    const value = inheritEnv || isBase ? ours[name] : undefined;
    if (value !== undefined) result[name] = value;
  }
  for (const name of Object.keys(env)) {
    const value = env[name] ?? null;
    check(name, value, server);
    if (isWindows) removeAnyCase(result, name);
    if (value === null) delete result[name];
    else result[name] = value;
  }
  return result;
}

// --- internal ---

/** No set: this is on the way of every start, and a set of these would be the largest thing on it. */
function isPosixBase(name: string): boolean {
  switch (name) {
    case "PATH":
    case "HOME":
    case "USER":
    case "LOGNAME":
    case "SHELL":
    case "TERM":
    case "LANG":
    case "TMPDIR":
    case "TZ":
    case "HTTP_PROXY":
    case "HTTPS_PROXY":
    case "NO_PROXY":
    case "http_proxy":
    case "https_proxy":
    case "no_proxy":
    case "NODE_EXTRA_CA_CERTS":
    case "SSL_CERT_FILE":
    case "SSL_CERT_DIR":
      return true;
    default:
      return name.startsWith("LC_") || name.startsWith("XDG_");
  }
}

/** @param name in capitals */
function isWindowsBase(name: string): boolean {
  switch (name) {
    case "APPDATA":
    case "COMSPEC":
    case "HOMEDRIVE":
    case "HOMEPATH":
    case "LOCALAPPDATA":
    case "NUMBER_OF_PROCESSORS":
    case "OS":
    case "PATHEXT":
    case "PROCESSOR_ARCHITECTURE":
    case "PROGRAMDATA":
    case "PROGRAMFILES":
    case "PROGRAMFILES(X86)":
    case "PUBLIC":
    case "SYSTEMDRIVE":
    case "SYSTEMROOT":
    case "TEMP":
    case "TMP":
    case "USERDOMAIN":
    case "USERNAME":
    case "USERPROFILE":
    case "WINDIR":
      return true;
    default:
      return isPosixBase(name);
  }
}

function check(name: string, value: string | null, server: string): void {
  const fault = /[=\0]/.test(name)
    ? "has a name with `=` or NUL in it"
    : name === ""
      ? "has an empty name"
      : value?.includes("\0")
        ? "has a value with NUL in it"
        : undefined;
  if (fault === undefined) return;
  const shown = JSON.stringify(name);
  throw new HostError("config", `server "${server}": the environment variable ${shown} ${fault}`, {
    facts: { server, variable: name },
    hint: "correct its `env`",
  });
}

function removeAnyCase(all: Record<string, string>, name: string): void {
  for (const other of Object.keys(all))
    if (other.toUpperCase() === name.toUpperCase()) delete all[other];
}
