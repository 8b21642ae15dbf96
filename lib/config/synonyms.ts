/** The names that other hosts have for keys of a server entry, and how what stands under them is read as ours. Pure. */
import { isObject } from "../base/json.ts";
import { parseSeconds, parseTimeout } from "./duration.ts";
import { linkWord } from "./links.ts";

/** How one key of another host is read: as which of our keys, with which values. */
export type Synonym = (value: unknown) => [key: string, value: unknown][];

const as =
  (key: string, convert: (value: unknown) => unknown = (value) => value): Synonym =>
  (value) => [[key, convert(value)]];

/** A list of names is a filter; anything else under such a key (a switch, a table) is another host's own business. */
const listAs =
  (key: string): Synonym =>
  (value) =>
    Array.isArray(value) ? [[key, value]] : [];

/** Of hosts to which `timeout` is both times, in seconds. */
export const timeoutOfBoth: Synonym = (value) => {
  const ms = parseSeconds(value) ?? value;
  return [
    ["startTimeoutMs", ms],
    ["timeoutMs", ms],
  ];
};

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;
const not = (value: unknown) => (typeof value === "boolean" ? !value : value);
const seconds = (value: unknown) => parseSeconds(value) ?? value;
const fromOurEnv = (name: unknown) => (typeof name === "string" ? `\${env:${name}}` : name);

function eachFromOurEnv(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, name]) => [key, fromOurEnv(name)]));
}

/** Codex writes a variable as its name, or as `{name, source}`; a list with anything else in it is left as it is, and refused. */
function namedFromOurEnv(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  const names = value.map((item: unknown) => (isObject(item) ? item.name : item));
  if (names.some((name) => typeof name !== "string")) return value;
  return Object.fromEntries(names.map((name) => [name, fromOurEnv(name)]));
}

export const synonyms = new Map<string, Synonym>([
  ["cmd", as("command")],
  ["environment", as("env")],
  ["envs", as("env")],
  ["env_vars", as("env", namedFromOurEnv)],
  ["env_keys", as("env", namedFromOurEnv)],
  ["env_file", as("envFile")],
  ["inherit_env", as("inheritEnv")],
  ["workingDirectory", as("cwd")],
  ["working_directory", as("cwd")],
  ["serverUrl", as("url")],
  ["server_url", as("url")],
  ["endpoint", as("url")],
  ["baseUrl", as("url")],
  ["uri", as("url")],
  [
    "httpUrl",
    (url) => [
      ["url", url],
      ["type", "http"],
    ],
  ],
  ["transport", as("type", linkWord)],
  ["transportType", as("type", linkWord)],
  ["http_headers", as("headers")],
  ["httpHeaders", as("headers")],
  ["env_http_headers", as("headers", eachFromOurEnv)],
  ["requestOptions", (value) => (isObject(value) ? [["headers", value.headers ?? {}]] : [])],
  [
    "bearer_token_env_var",
    (name) => [
      ["headers", { Authorization: typeof name === "string" ? `Bearer \${env:${name}}` : name }],
    ],
  ],
  ["enabled", as("disabled", not)],
  ["isActive", as("disabled", not)],
  ["active", as("disabled", not)],
  ["protocolVersion", as("protocol")],
  ["timeout", as("timeoutMs", (value) => parseTimeout(value) ?? value)],
  ["timeout_ms", as("timeoutMs")],
  ["tool_timeout_sec", as("timeoutMs", seconds)],
  ["startup_timeout_sec", as("startTimeoutMs", seconds)],
  ["startup_timeout_ms", as("startTimeoutMs")],
  ["connectionTimeout", as("startTimeoutMs")],
  ["initTimeout", as("startTimeoutMs")],
  ["read_timeout_seconds", as("timeoutMs", seconds)],
  ["tools", listAs("allowedTools")],
  ["includeTools", as("allowedTools")],
  ["enabledTools", as("allowedTools")],
  ["enabled_tools", as("allowedTools")],
  // To Goose an empty list is all tools.
  ["available_tools", (value) => (isEmptyList(value) ? [] : [["allowedTools", value]])],
  ["excludeTools", as("deniedTools")],
  ["excludedTools", as("deniedTools")],
  ["disabledTools", as("deniedTools")],
  ["disabled_tools", as("deniedTools")],
  ["blockedTools", as("deniedTools")],
  ["autoApprove", listAs("toolsWithoutApproval")],
  ["alwaysAllow", listAs("toolsWithoutApproval")],
]);
