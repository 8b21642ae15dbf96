/**
 * All sources of servers and rules → one checked `Config`. Reads files and starts nothing. What parses and checks files
 * is loaded only when there is one: `-- COMMAND` without a user's config loads none of it.
 */
import { HostError } from "../base/errors.ts";
import type { ConfigPart } from "./document.ts";
import { findConfig, findUserConfig } from "./find.ts";
import { applyFlags, type ServerFlags } from "./flags.ts";
import type { Origin } from "./origin.ts";
import { type Env, ourPaths, resolvePath, shownPath } from "./paths.ts";
import { commandServer, parseSpec, withOwnNames } from "./spec.ts";
import type { BadServer, Config, ServerConfig } from "./types.ts";

export interface LoadOptions {
  /** `-c FILE`. */
  files?: readonly string[] | undefined;
  /** `--config-json JSON`. */
  json?: readonly string[] | undefined;
  /** `-s SPEC`. */
  servers?: readonly string[] | undefined;
  /** Everything after `--`; undefined where there was no `--`. */
  rest?: readonly string[] | undefined;
  /** Flags that hold for every server. */
  flags?: ServerFlags | undefined;
  /** Absolute. */
  cwd: string;
  env: Env;
  /** For tests: not even the user's policy. */
  noUserConfig?: boolean | undefined;
  /** A file that was read already: it may be another one by now. */
  read?: { path: string; text: string } | undefined;
}

/**
 * Servers by name, later sources over earlier ones: the user's file, what was found or named, `-s`, `--`. Where any
 * source is named nothing is searched for, but the user's policy, limits and serve hold all the same.
 * @throws HostError `usage` (a flag), `config` (a file that is missing or cannot be parsed; a wrong policy)
 */
export async function loadConfig(options: LoadOptions): Promise<Config> {
  const { files = [], json = [], servers = [], rest, cwd, env } = options;
  const specs = servers.map(parseSpec);
  if (rest !== undefined) specs.push(commandServer(rest));
  const named = files.length + json.length + specs.length > 0;
  const found = await Promise.all([
    options.noUserConfig ? undefined : userPart(options, named),
    ...(named ? [] : [searchedPart(options)]),
    ...files.map((file) => namedPart(file, file, options)),
    ...json.map((text) => readPart(text, { label: "--config-json", kind: "named" }, cwd)),
  ]);
  const parts = found.filter((part) => part !== undefined);
  const config = mergeParts(parts, specs);
  if (options.flags) config.servers = applyFlags(config.servers, options.flags, env);
  return config;
}

// --- internal ---

async function userPart(options: LoadOptions, named: boolean): Promise<ConfigPart | undefined> {
  const path = await findUserConfig(options.env);
  if (path === undefined) return undefined;
  const part = await filePart(path, { ...originOf(path, options), kind: "user" }, options);
  // What is said about the servers that do not count here would only disturb.
  return named && part ? { ...part, servers: new Map(), warnings: part.ruleWarnings } : part;
}

async function searchedPart(options: LoadOptions): Promise<ConfigPart | undefined> {
  const { MCPHOST_CONFIG } = options.env;
  if (MCPHOST_CONFIG) return await namedPart(MCPHOST_CONFIG, "MCPHOST_CONFIG", options);
  const path = await findConfig(options.cwd);
  if (path === undefined) return undefined;
  return await filePart(path, { ...originOf(path, options), kind: "found" }, options);
}

async function namedPart(file: string, label: string, options: LoadOptions): Promise<ConfigPart> {
  const path = resolvePath(options.cwd, file);
  const part = await filePart(path, { file: path, label: file, kind: "named" }, options);
  if (part) return part;
  throw new HostError("config", `there is no file ${file}`, {
    facts: { file: path },
    ...(label === file ? {} : { hint: `${label} names it` }),
  });
}

async function filePart(
  path: string,
  origin: Origin,
  { cwd, read }: LoadOptions,
): Promise<ConfigPart | undefined> {
  const { readText } = await import("./files.ts");
  // Read while what understands it is loaded.
  const [text, { readDocument }] = await Promise.all([
    read?.path === path ? read.text : readText(path, origin.label),
    import("./document.ts"),
  ]);
  return text === undefined ? undefined : readDocument(text, origin, cwd);
}

async function readPart(text: string, origin: Origin, cwd: string): Promise<ConfigPart> {
  const { readDocument } = await import("./document.ts");
  return readDocument(text, origin, cwd);
}

function originOf(path: string, { cwd, env }: LoadOptions): Omit<Origin, "kind"> {
  return { file: path, label: shownPath(path, cwd, ourPaths(env).home) };
}

function mergeParts(parts: ConfigPart[], given: ServerConfig[]): Config {
  const byName = new Map<string, ServerConfig | BadServer>();
  const config: Config = {
    servers: [],
    bad: [],
    policy: [],
    plugins: [],
    limits: {},
    serve: {},
    records: {},
    profiles: Object.create(null) as Config["profiles"],
    warnings: [],
    inputs: Object.create(null) as Config["inputs"],
    files: parts.map((part) => part.origin).filter((origin) => origin.file !== undefined),
  };
  for (const part of parts) {
    for (const [name, server] of part.servers) byName.set(name, server);
    Object.assign(config.inputs, part.inputs);
    config.warnings.push(...part.warnings);
    config.plugins.push(...part.plugins);
    // One's own choice stays what it is, whatever a project has under that name.
    for (const [name, profile] of Object.entries(part.profiles))
      if (part.origin.kind !== "found" || !Object.hasOwn(config.profiles, name))
        config.profiles[name] = profile;
    if (part.origin.kind === "found") tighten(config, part);
    else {
      config.policy.push(...part.policy);
      Object.assign(config.limits, part.limits);
      Object.assign(config.serve, part.serve);
      Object.assign(config.records, part.records);
    }
  }
  const specs = given.length === 0 ? given : withOwnNames(given, byName.keys());
  const before = new Set<string>();
  for (const server of specs) {
    if (before.has(server.name))
      config.warnings.push(
        `${server.name} is named twice on the command line; the later one counts`,
      );
    before.add(server.name);
    byName.set(server.name, server);
  }
  for (const server of byName.values())
    if ("reason" in server) config.bad.push(server);
    else config.servers.push(server);
  return config;
}

/** A project that was found may forbid and ask, but loosen nothing. */
function tighten(config: Config, part: ConfigPart): void {
  const { label } = part.origin;
  const rules = part.policy.filter((rule) => rule.do !== "allow");
  if (rules.length < part.policy.length)
    config.warnings.push(
      `${label}: its allow rules have no effect: a config that was found can only tighten`,
    );
  if (Object.keys(part.limits).length > 0)
    config.warnings.push(
      `${label}: its limits have no effect: they belong into your own config, or a named one`,
    );
  if (Object.keys(part.serve).length > 0)
    config.warnings.push(
      `${label}: its serve has no effect: it belongs into your own config, or a named one`,
    );
  if (Object.keys(part.records).length > 0)
    config.warnings.push(
      `${label}: its store and audit have no effect: they belong into your own config, or a named one`,
    );
  config.policy.push(...rules);
}
