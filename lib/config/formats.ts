/**
 * The shapes in which hosts write their servers down, one pure function each: where in a document the entries lie, and
 * what they are called. What the keys inside an entry mean is `keys.ts`; nothing is checked here.
 */
import { isObject } from "../base/json.ts";
import type { Path } from "./problems.ts";

/** One server as it was written. */
export interface Entry {
  name: string;
  value: unknown;
  path: Path;
  /** A number under `timeout` is seconds, and holds for the start too. */
  timeoutIsSeconds?: boolean;
}

export interface Shape {
  /** The key of the document that it looks at. */
  key: string;
  /** The entries under that key; undefined where it is not of this shape. */
  read(section: unknown, folder: string): Entry[] | undefined;
}

/** Cursor, Claude, Windsurf, Gemini, Cline, llama-server: `mcpServers: {NAME: {…}}`. */
const mcpServers: Shape = { key: "mcpServers", read: (section) => table(section, ["mcpServers"]) };

/** VS Code, and our own examples with secrets: `servers: {NAME: {…}}`. */
const servers: Shape = { key: "servers", read: (section) => table(section, ["servers"]) };

/** llms.py: `servers: [{id, endpoint, …}]`. */
const serverList: Shape = { key: "servers", read: (section) => list(section, "servers") };

/** llama.cpp articles: `mcp_servers: [{name, transport, command or url, timeout in seconds}]`. */
const mcpServerList: Shape = {
  key: "mcp_servers",
  read: (section) =>
    list(section, "mcp_servers")?.map((entry) => ({ ...entry, timeoutIsSeconds: true })),
};

/** Codex: `[mcp_servers.NAME]`. */
const codex: Shape = { key: "mcp_servers", read: (section) => table(section, ["mcp_servers"]) };

/** The settings of VS Code: `mcp: {servers: {NAME: {…}}}`. */
const vsCodeSettings: Shape = {
  key: "mcp",
  read(section) {
    const inner = isObject(section) ? section.servers : undefined;
    // A server of that name would say what it is.
    const isTable = isObject(inner) && Object.values(inner).every(isObject);
    return isTable ? table(inner, ["mcp", "servers"]) : undefined;
  },
};

/** opencode: `mcp: {NAME: {type: local, command: […], environment}}`. Gemini keeps filters of its own under that key. */
const opencode: Shape = {
  key: "mcp",
  read: (section) =>
    table(section, ["mcp"])?.filter(
      ({ name, value }) => isObject(value) || !geminiFilters.has(name),
    ),
};

const geminiFilters = new Set(["allowed", "excluded", "serverCommand"]);

/** Continue: `mcpServers: [{name, …}]`, most often YAML. */
const mcpServersList: Shape = { key: "mcpServers", read: (section) => list(section, "mcpServers") };

/** Amp: `"amp.mcpServers": {NAME: {…}}`. */
const amp: Shape = { key: "amp.mcpServers", read: (section) => table(section, ["amp.mcpServers"]) };

/** Zed: `context_servers: {NAME: {command, args, env} or {command: {path, args, env}} or {url}}`; what its extensions start is theirs. */
const zed: Shape = {
  key: "context_servers",
  read: (section) =>
    table(section, ["context_servers"])
      ?.filter(({ value }) => !isObject(value) || "command" in value || "url" in value)
      .map((entry) => ({ ...entry, value: zedServer(entry.value) })),
};

function zedServer(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { settings: _settings, remote: _remote, command, ...rest } = value;
  if (!isObject(command)) return command === undefined ? rest : { command, ...rest };
  const { path, ...inner } = command;
  return { command: path, ...inner, ...rest };
}

/** Goose: `extensions: {NAME: {type: stdio, cmd, args, envs} or {type: streamable_http, uri}}`; other kinds are part of it, and other programs have extensions of their own. */
const goose: Shape = {
  key: "extensions",
  read: (section) =>
    (table(section, ["extensions"]) ?? []).filter(
      ({ value }) => isObject(value) && ("cmd" in value || "uri" in value),
    ),
};

/** Claude Code's own file: `projects: {FOLDER: {mcpServers: {…}}}`; only the project of the current folder counts. */
const claudeProjects: Shape = {
  key: "projects",
  read(section, folder) {
    if (!isObject(section)) return undefined;
    const project = Object.hasOwn(section, folder) ? section[folder] : undefined;
    if (!isObject(project)) return [];
    return table(project.mcpServers, ["projects", folder, "mcpServers"]) ?? [];
  },
};

/** In the order in which they weigh: of two entries of one name, the later counts. */
export const shapes: readonly Shape[] = [
  goose,
  vsCodeSettings,
  opencode,
  mcpServerList,
  codex,
  serverList,
  servers,
  zed,
  amp,
  mcpServersList,
  mcpServers,
  claudeProjects,
];

// --- internal ---

function table(section: unknown, path: Path): Entry[] | undefined {
  if (!isObject(section)) return undefined;
  return Object.entries(section).map(([name, value]) => ({ name, value, path: [...path, name] }));
}

function list(section: unknown, key: string): Entry[] | undefined {
  if (!Array.isArray(section)) return undefined;
  return section.map((value: unknown, at) => ({ name: nameOf(value, at), value, path: [key, at] }));
}

/** An entry without a name is named by its place, so that what is wrong with it can be said. */
function nameOf(value: unknown, at: number): string {
  if (isObject(value))
    for (const name of [value.name, value.id])
      if (typeof name === "string" && name !== "") return name;
  return `server${at + 1}`;
}
