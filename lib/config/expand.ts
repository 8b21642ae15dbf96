/**
 * Makes an entry ready to start or to reach: fills in variables, secrets, inputs and files (cli.md, Expansion). Each text
 * is read once from left to right, and what was filled in is not looked at again.
 */
import { isHostError } from "../base/errors.ts";
import { parseEnvFile } from "./env-file.ts";
import { resolvePath } from "./paths.ts";
import { mayBeSecret, secretsOfArgument, secretsOfUrl } from "./secrets.ts";
import type { ServerConfig, StdioServer } from "./types.ts";
import { type ExpandContext, Values } from "./values.ts";

interface Filled<T extends ServerConfig> {
  server: T;
  /** Values that must not be shown, for `redact`; found out when asked for, which is seldom. */
  secrets: () => string[];
}

export interface Expanded<T extends ServerConfig> extends Filled<T> {
  /** What was odd, in words for a person. */
  warnings: readonly string[];
}

/**
 * The entry with all texts filled in, `cwd` absolute (of a found one: at least its config's folder), `envFile` and
 * `givenEnv` merged into `env`, and the PEM text in the place of the files of `tls`.
 * @throws HostError `config` naming server, field and variable, for this server alone
 */
export async function expandServer<T extends ServerConfig>(
  server: T,
  context: ExpandContext,
): Promise<Expanded<T>> {
  const values = new Values(server, context);
  const { server: expanded, secrets } =
    server.kind === "stdio"
      ? await expandStdio(server, values)
      : await (await import("./expand-http.ts")).expandHttp(server, values, context.env);
  return {
    server: { ...expanded, ...(await expandRoots(server, values)) } as T,
    secrets: () => [...new Set([...values.secrets, ...secrets()])],
    warnings: values.warnings,
  };
}

// --- internal ---

async function expandStdio(server: StdioServer, values: Values): Promise<Filled<StdioServer>> {
  const { envFile, givenEnv, literal, ...rest } = server;
  const command = literal ? server.command : await values.text(server.command, "command");
  const args = literal ? server.args : await expandAll(server.args, "args", values);
  const env: Record<string, string | null> = Object.create(null);
  if (envFile !== undefined) Object.assign(env, await readEnvFile(envFile, values));
  for (const [name, value] of Object.entries(server.env))
    env[name] = value === null ? null : await values.text(value, `env.${name}`);
  Object.assign(env, givenEnv);
  for (const [name, value] of Object.entries(env)) {
    if (value?.includes("\0"))
      throw values.error(`env.${name}`, "a NUL character cannot be handed on");
  }
  const written = server.cwd ?? (server.origin.kind === "found" ? "." : undefined);
  const cwd =
    written === undefined
      ? {}
      : { cwd: resolvePath(values.folder, await values.text(written, "cwd")) };
  const expanded = { ...rest, command, args, env, ...cwd };
  return { server: expanded, secrets: () => secretsOfStdio(expanded) };
}

function secretsOfStdio({ args, env }: StdioServer): string[] {
  const values = Object.values(env).filter((value) => value !== null);
  return [
    ...args.flatMap((arg, at) => secretsOfArgument(arg, args[at - 1])),
    ...values.flatMap((value) => [value, ...secretsOfUrl(value)].filter(mayBeSecret)),
  ];
}

async function expandRoots(server: ServerConfig, values: Values): Promise<{ roots?: string[] }> {
  return server.roots === undefined
    ? {}
    : { roots: await expandAll(server.roots, "roots", values) };
}

async function expandAll(texts: string[], field: string, values: Values): Promise<string[]> {
  const expanded: string[] = [];
  for (const [at, text] of texts.entries())
    expanded.push(await values.text(text, `${field}[${at}]`));
  return expanded;
}

async function readEnvFile(written: string, values: Values): Promise<Record<string, string>> {
  const path = await values.text(written, "envFile");
  const text = await values.file(path, "envFile");
  try {
    return parseEnvFile(text, path);
  } catch (cause) {
    if (!isHostError(cause)) throw cause;
    // It is a matter of this one server.
    const hint = "an env file has NAME=value lines; YAML and JSON are not read there";
    throw values.error("envFile", cause.message, { variable: path, hint, cause });
  }
}
