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
  const base = isWindows ? windowsBase() : posixBase;
  const result = Object.create(null) as Record<string, string>;
  // The names alone: each value of the real environment is made when it is read.
  for (const name of Object.keys(ours)) {
    const known = isWindows ? name.toUpperCase() : name;
    const isBase = base.has(known) || known.startsWith("LC_") || known.startsWith("XDG_");
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

const posixBase: ReadonlySet<string> = new Set(
  (
    "PATH HOME USER LOGNAME SHELL TERM LANG TMPDIR TZ " +
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy " +
    "NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR"
  ).split(" "),
);

/** In capitals: Windows does not tell cases apart. */
function windowsBase(): ReadonlySet<string> {
  const more =
    "APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA NUMBER_OF_PROCESSORS OS PATHEXT " +
    "PROCESSOR_ARCHITECTURE PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) PUBLIC SYSTEMDRIVE SYSTEMROOT " +
    "TEMP TMP USERDOMAIN USERNAME USERPROFILE WINDIR";
  return new Set([...posixBase, ...more.split(" ")]);
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
