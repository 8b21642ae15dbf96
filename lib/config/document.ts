/**
 * The text of one config file → its part of the whole config. A bad server is set apart; a bad rule or limit is an
 * error, since a policy that is read wrongly would let through what it should stop. Loaded only when a config is read.
 */
import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { shapes } from "./formats.ts";
import { parseJsonc } from "./jsonc.ts";
import { unknownKey } from "./keys.ts";
import type { Origin } from "./origin.ts";
import { pathText } from "./problems.ts";
import { readRecords } from "./records.ts";
import {
  Inputs,
  limitEntries,
  LimitsSchema,
  Plugins,
  Policy,
  Profile,
  ServeSchema,
} from "./schema.ts";
import { check, problem } from "./sections.ts";
import { readServer } from "./server.ts";
import type { RecordSettings, ServeSettings, ServeToken } from "./setting-types.ts";
import { parseToml } from "./toml.ts";
import { topWarnings } from "./top-keys.ts";
import type { BadServer, Config, Limits, PluginEntry, PolicyRule, ServerConfig } from "./types.ts";
import { parseYaml } from "./yaml.ts";

/** What one file says. */
export interface ConfigPart {
  origin: Origin;
  /** In the order written; each name once. */
  servers: Map<string, ServerConfig | BadServer>;
  policy: PolicyRule[];
  plugins: PluginEntry[];
  limits: Partial<Limits>;
  serve: ServeSettings;
  records: RecordSettings;
  profiles: Config["profiles"];
  inputs: Config["inputs"];
  warnings: string[];
  /** Those of the warnings that are not about servers. */
  ruleWarnings: string[];
}

/**
 * Reads a file's text, in whatever known shape. `folder` picks the project in Claude Code's own file.
 * @throws HostError `config`: it cannot be parsed (line and column), or its policy, limits or inputs are wrong
 */
export function readDocument(text: string, origin: Origin, folder: string): ConfigPart {
  const format = formatOf(origin.file);
  const { value, warnings } = parsers[format](text, origin);
  if (!isObject(value)) throw problem(origin, [], "an object", value);
  const part: ConfigPart = {
    origin,
    servers: new Map(),
    policy: [],
    plugins: [],
    limits: {},
    serve: {},
    records: readRecords(value, origin, folder),
    profiles: Object.create(null) as Config["profiles"],
    inputs: Object.create(null) as Config["inputs"],
    warnings: [],
    ruleWarnings: warnings,
  };
  readServers(value, part, folder);
  if (value.policy !== undefined)
    part.policy = check(Policy, value.policy, origin, "policy").map((rule) => ({
      ...(rule as PolicyRule),
      origin,
    }));
  if (value.plugins !== undefined)
    part.plugins = check(Plugins, value.plugins, origin, "plugins").map((written): PluginEntry => {
      if (typeof written === "string") return { spec: written, written, origin };
      const [spec, options] = written;
      return { spec, options: options as Json, written, origin };
    });
  if (value.limits !== undefined) part.limits = readLimits(value.limits, part);
  if (value.serve !== undefined) part.serve = readServe(value.serve, part);
  // Codex has profiles of its own.
  const isCodex = format === "TOML" && Object.hasOwn(value, "mcp_servers");
  if (value.profiles !== undefined && !isCodex) readProfiles(value.profiles, part);
  if (value.inputs !== undefined)
    for (const { id, description, password, default: fallback, options } of check(
      Inputs,
      value.inputs,
      origin,
      "inputs",
    ))
      part.inputs[id] = {
        ...(description === undefined ? {} : { description }),
        ...(password === undefined ? {} : { password }),
        ...(fallback === undefined ? {} : { default: fallback }),
        ...(options === undefined ? {} : { options: options.map(optionOf) }),
      };
  part.ruleWarnings.push(...topWarnings(value, { origin, hasServers: part.servers.size > 0 }));
  part.warnings.push(...part.ruleWarnings);
  return part;
}

/** By the end of its name. */
export function formatOf(file = ""): "JSON" | "TOML" | "YAML" {
  if (/\.toml$/i.test(file)) return "TOML";
  return /\.ya?ml$/i.test(file) ? "YAML" : "JSON";
}

// --- internal ---

const parsers = { JSON: parseJsonc, TOML: parseToml, YAML: parseYaml };

function readServers(document: JsonObject, part: ConfigPart, folder: string): void {
  const { origin, servers, warnings } = part;
  for (const key of new Set(shapes.map((shape) => shape.key))) {
    if (!Object.hasOwn(document, key)) continue;
    const entries = shapes
      .filter((shape) => shape.key === key)
      .map((shape) => shape.read(document[key], folder))
      .find((found) => found !== undefined);
    if (!entries && key !== "projects")
      throw problem(origin, [key], "the servers, by name", document[key]);
    for (const entry of entries ?? []) {
      const reading = readServer(entry, origin);
      if (servers.has(entry.name))
        warnings.push(
          `${origin.label}: two servers are called ${entry.name}; the one at ${pathText(entry.path)} counts`,
        );
      warnings.push(...reading.warnings);
      const result = reading.server ?? reading.bad;
      if (result) servers.set(entry.name, result);
    }
  }
}

/** VS Code writes an option as its value, or with a label. */
function optionOf(option: string | { label?: string | undefined; value: string }) {
  if (typeof option === "string") return { value: option, label: option };
  return { value: option.value, label: option.label ?? option.value };
}

function readLimits(value: unknown, part: ConfigPart): Partial<Limits> {
  const limits = check(LimitsSchema, value, part.origin, "limits");
  const known = Object.keys(limitEntries);
  const result: Record<string, unknown> = {};
  for (const [key, limit] of Object.entries(limits))
    if (known.includes(key)) result[key] = limit;
    else part.ruleWarnings.push(`${part.origin.label}: limits: ${unknownKey(key, known).text}`);
  return result as Partial<Limits>;
}

function readServe(value: unknown, { origin, ruleWarnings }: ConfigPart): ServeSettings {
  if (!isObject(value)) throw problem(origin, ["serve"], "an object", value);
  const { tokens, page, ...settings } = check(ServeSchema, value, origin, "serve");
  if (page !== undefined)
    ruleWarnings.push(
      `${origin.label}: this version does not know serve.page yet; it has no effect`,
    );
  return {
    ...(settings as ServeSettings),
    ...(tokens && { tokens: tokens.map((token) => ({ ...(token as ServeToken), origin })) }),
  };
}

function readProfiles(value: unknown, { origin, profiles }: ConfigPart): void {
  if (!isObject(value)) throw problem(origin, ["profiles"], "an object", value);
  for (const [name, written] of Object.entries(value))
    profiles[name] = check(Profile, written, origin, "profiles", name);
}
