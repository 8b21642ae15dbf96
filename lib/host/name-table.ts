/**
 * The names under which tools are shown, as a table. Pure: the same servers in the same order give the same names,
 * whichever was started first.
 */

/** What naming needs to know of one server; `tools` are its own names as listed, empty while it is not listed. */
export interface NamedServer {
  name: string;
  prefix?: string | undefined;
  rename?: Readonly<Record<string, string>> | undefined;
  /** It holds the tools of a plugin, which changes no name of another server. @default false */
  isPlugin?: boolean;
  tools: readonly string[];
}

export interface NameEntry {
  server: string;
  /** The server's own name. */
  tool: string;
  /** The exposed name. */
  name: string;
  /** The exposed name is neither the own one, nor prefix and own name, nor what `rename` says. */
  changed: boolean;
}

export interface NameTable {
  /** Servers in config order, tools in list order; a name that a server lists twice is here once. */
  entries: NameEntry[];
  byName: Map<string, NameEntry>;
  /** The long names that are understood beside the exposed ones where there is only one server. */
  byLongName: Map<string, NameEntry>;
  /** Server → own name → entry. */
  byServer: Map<string, Map<string, NameEntry>>;
}

/** A computed name is no longer. */
export const nameMax = 64;
const hashLength = 8;
/** What is left of a name before a hash. */
export const headMax = nameMax - hashLength - 1;

/**
 * Names all tools: `rename`, else `<prefix><tool>` with everything outside `[A-Za-z0-9_-]` as `_` and at most 64
 * characters; on collision or overflow the later one ends in a hash of (server, tool). One single server without a
 * prefix of its own shows its tools' own names exactly, but for the empty name, which nobody could see.
 */
export function nameTools(servers: readonly NamedServer[]): NameTable {
  const table = buildTable(servers, isAlone(servers));
  if (isAlone(servers)) {
    for (const long of buildTable(servers, false).entries) {
      const entry = table.byServer.get(long.server)?.get(long.tool);
      if (entry !== undefined) table.byLongName.set(long.name, entry);
    }
  }
  return table;
}

/** What stands before the own names of a server's tools. */
export function prefixOf(server: NamedServer): string {
  return server.prefix ?? `${server.name}_`;
}

/** With everything outside `[A-Za-z0-9_-]` as `_`. */
export function cleanName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, "_");
}

/** What `rename` says of a tool. */
export function renameOf(server: NamedServer, tool: string): string | undefined {
  const { rename } = server;
  return rename !== undefined && Object.hasOwn(rename, tool) ? rename[tool] : undefined;
}

// --- internal ---

function isAlone(servers: readonly NamedServer[]): boolean {
  const [server, ...others] = servers.filter(({ isPlugin }) => isPlugin !== true);
  return server !== undefined && others.length === 0 && server.prefix === undefined;
}

function buildTable(servers: readonly NamedServer[], ownNames: boolean): NameTable {
  const table: NameTable = {
    entries: [],
    byName: new Map(),
    byLongName: new Map(),
    byServer: new Map(servers.map((server) => [server.name, new Map()])),
  };
  const reserved = reservedNames(servers);
  for (const server of servers) {
    for (const tool of server.tools) {
      const own = table.byServer.get(server.name);
      if (own === undefined || own.has(tool)) continue;
      const plain = ownNames ? tool : `${prefixOf(server)}${tool}`;
      const renamed = renameOf(server, tool);
      const wanted = renamed ?? (ownNames ? plain : cleanName(plain));
      const key = toolKey(server.name, tool);
      const computed = !ownNames && renamed === undefined;
      const fits = wanted !== "" && (!computed || wanted.length <= nameMax);
      const free = !table.byName.has(wanted) && (reserved.get(wanted) ?? key) === key;
      const name = fits && free ? wanted : hashedName(wanted, key, table.byName, reserved);
      const entry = { server: server.name, tool, name, changed: name !== (renamed ?? plain) };
      table.entries.push(entry);
      table.byName.set(name, entry);
      own.set(tool, entry);
    }
  }
  return table;
}

/** Names given by `rename`, each with the first that was given it: they hold whether or not their server is listed yet. */
function reservedNames(servers: readonly NamedServer[]): Map<string, string> {
  const reserved = new Map<string, string>();
  for (const server of servers) {
    for (const [tool, name] of Object.entries(server.rename ?? {})) {
      if (!reserved.has(name)) reserved.set(name, toolKey(server.name, tool));
    }
  }
  return reserved;
}

function toolKey(server: string, tool: string): string {
  return JSON.stringify([server, tool]);
}

function hashedName(
  wanted: string,
  key: string,
  taken: Map<string, NameEntry>,
  reserved: Map<string, string>,
): string {
  for (let round = 0; ; round++) {
    const text = round === 0 ? key : `${key}${round}`;
    const hash = Bun.SHA256.hash(text, "hex").slice(0, hashLength);
    const name = `${wanted.slice(0, headMax)}_${hash}`;
    if (!taken.has(name) && !reserved.has(name)) return name;
  }
}
