/**
 * The checked config as people may see and pass it on: what may be a secret is hidden, references to secrets are not.
 * Pure; it hides too much rather than too little.
 */
import type { Origin } from "../config/origin.ts";
import { redact } from "../config/redact.ts";
import { readReferences } from "../config/references.ts";
import { isSecretFlag, secretsOfArgument, secretsOfUrl, userOfUrl } from "../config/secrets.ts";
import type { RecordSettings, ServeSettings } from "../config/setting-types.ts";
import type { Config, PluginEntry, ServerConfig, ServerTls } from "../config/types.ts";

/** The whole config as JSON values, without anything that may be a secret. */
export function shownConfig(config: Config): object {
  const { servers, bad, policy, plugins, limits, serve, records, profiles } = config;
  const { inputs, warnings, files } = config;
  return {
    files: files.map(shownOrigin),
    servers: servers.map(shownServer),
    bad: bad.map(({ origin, ...entry }) => ({ ...entry, from: shownOrigin(origin) })),
    policy: policy.map(({ origin, ...rule }) =>
      origin === undefined ? rule : { ...rule, from: shownOrigin(origin) },
    ),
    ...(plugins.length > 0 && { plugins: plugins.map(shownPlugin) }),
    limits,
    ...(Object.keys(serve).length > 0 && { serve: shownServe(serve) }),
    ...shownRecords(records),
    ...(Object.keys(profiles).length > 0 && { profiles }),
    // A default may be the secret itself.
    inputs: Object.entries(inputs).map(([id, { description, password }]) => {
      return { id, description, password };
    }),
    warnings,
  };
}

// --- internal ---

const mask = "***";

function shownOrigin({ file, label, kind }: Origin): object {
  return { kind, file: file ?? label };
}

/** What its options mean nobody knows but the plugin. */
function shownPlugin({ spec, options, origin }: PluginEntry): object {
  return {
    plugin: spec,
    ...(options !== undefined && { options: mask }),
    from: shownOrigin(origin),
  };
}

function shownServe({ tokens, ...settings }: ServeSettings): object {
  const shown = tokens?.map(({ origin, token, ...rest }) => ({
    ...rest,
    token: isReference(token) ? token : mask,
    ...(origin && { from: shownOrigin(origin) }),
  }));
  return { ...settings, ...(shown && { tokens: shown }) };
}

function shownRecords({ store, origin, audit, ...rest }: RecordSettings): object {
  const place = store === undefined || isReference(store) ? store : shownUrl(store);
  const more = Object.keys(rest).length > 0 ? rest : audit;
  return {
    ...(place !== undefined && { store: place, ...(origin && { from: shownOrigin(origin) }) }),
    ...(more !== undefined && { audit: more }),
  };
}

function shownServer(whole: ServerConfig): object {
  // What was written is what is hidden below.
  const { written: _, origin, ...server } = whole;
  const from = shownOrigin(origin);
  if (server.kind === "http")
    return {
      ...server,
      url: shownUrl(server.url),
      headers: shownValues(server.headers),
      ...(server.tls && { tls: shownTls(server.tls) }),
      from,
    };
  const { givenEnv, ...rest } = server;
  const command = shownArgument(server.command);
  const args = server.args.map((arg, at) => shownArgument(arg, server.args[at - 1]));
  const env = shownValues({ ...server.env, ...givenEnv });
  return { ...rest, command, args, env, from };
}

/** Values of variables and headers: only plain references are shown, as written. */
function shownValues(
  values: Readonly<Record<string, string | null>>,
): Record<string, string | null> {
  const shown: Record<string, string | null> = Object.create(null);
  for (const [name, value] of Object.entries(values))
    shown[name] = value === null || isReference(value) ? value : mask;
  return shown;
}

/** Files are shown, a key or certificate written out is not. */
function shownTls({ passphrase, insecure, ...files }: ServerTls): object {
  const shown = Object.entries(files).map(([name, file]) => [
    name,
    file.includes("-----BEGIN ") ? mask : file,
  ]);
  return {
    ...Object.fromEntries(shown),
    ...(passphrase !== undefined && shownValues({ passphrase })),
    ...(insecure !== undefined && { insecure }),
  };
}

/** Nothing but references, and no default that could be a secret itself. */
function isReference(text: string): boolean {
  const parts = readReferences(text);
  return (
    parts.length > 0 &&
    parts.every((part) => typeof part !== "string" && (part.fallback ?? "") === "")
  );
}

/** `--token X`, `--api-key=X`, `NAME=X`, addresses with credentials. */
function shownArgument(arg: string, before = ""): string {
  const [, flag = "", value] = /^(--?[\w-]+)(?:=([^]*))?$/.exec(arg) ?? [];
  if (value !== undefined && isSecretFlag(flag))
    return isReference(value) ? arg : `${flag}=${mask}`;
  if (isSecretFlag(before) && flag === "") return isReference(arg) ? arg : mask;
  return withoutPassword(redact(arg, hiddenOf(secretsOfArgument(arg, before))));
}

function shownUrl(url: string): string {
  return withoutPassword(redact(url, hiddenOf(secretsOfUrl(url))));
}

/** The password of an address, however short. */
function withoutPassword(text: string): string {
  const password = userOfUrl(text)?.password ?? "";
  return password === "" || isReference(password)
    ? text
    : text.replace(`:${password}@`, `:${mask}@`);
}

function hiddenOf(secrets: string[]): string[] {
  return secrets.filter((secret) => !isReference(secret));
}
