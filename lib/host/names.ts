/**
 * The names under which tools are shown, and what a given name can mean. Pure: the same servers in the same order give
 * the same names, whichever was started first. The way back is a table; no exposed name is ever taken apart.
 */

/** What naming needs to know of one server; `tools` are its own names as listed, empty while it is not listed. */
export interface NamedServer {
  name: string;
  prefix?: string | undefined;
  rename?: Readonly<Record<string, string>> | undefined;
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

const nameMax = 64;
const hashLength = 8;
const headMax = nameMax - hashLength - 1;

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

/** What a name means as an exposed name, a long name, or `SERVER.TOOL` / `SERVER/TOOL`: more than one is ambiguous. */
export function findNamed(table: NameTable, name: string): NameEntry[] {
  const entry = table.byName.get(name) ?? table.byLongName.get(name);
  if (entry !== undefined) return [entry];
  const found: NameEntry[] = [];
  for (const [server, tools] of table.byServer) {
    if (!isQualified(name, server)) continue;
    const meant = tools.get(name.slice(server.length + 1));
    if (meant !== undefined) found.push(meant);
  }
  return found;
}

/** All tools whose own name it is. */
export function findBare(table: NameTable, name: string): NameEntry[] {
  const found: NameEntry[] = [];
  for (const tools of table.byServer.values()) {
    const entry = tools.get(name);
    if (entry !== undefined) found.push(entry);
  }
  return found;
}

/**
 * The servers whose exposed or qualified names a name could be, known from the config alone. Every server that a
 * collision could involve is among them, so that listing these gives the same names as listing all.
 */
export function serversMeant(name: string, servers: readonly NamedServer[]): string[] {
  const head = name.slice(0, headMax);
  // Computed names are clean and short; only a chosen one can be anything.
  const computed = name.length <= nameMax && name === cleanName(name);
  return servers
    .filter((server) => {
      if (servers.length === 1 || isQualified(name, server.name)) return true;
      const prefixes = computed ? [cleanName(prefixOf(server))] : [];
      const begins = [...prefixes, ...Object.values(server.rename ?? {})];
      return begins.some((begin) => head.startsWith(begin.slice(0, headMax)));
    })
    .map((server) => server.name);
}

/** Every name that people may have written for a tool in rules and filters, whether or not anything is listed yet. */
export function namesOf(server: NamedServer, tool: string): string[] {
  const long = cleanName(`${prefixOf(server)}${tool}`);
  const names = [tool, long, `${server.name}.${tool}`, `${server.name}/${tool}`];
  const renamed = renameOf(server, tool);
  return renamed === undefined ? names : [...names, renamed];
}

/**
 * What a name means where nothing is listed: the tool of a server that it is qualified with, or of the only server.
 * Undefined where the table is needed to tell.
 */
export function withoutList(
  name: string,
  servers: readonly NamedServer[],
): { server: string; tool: string } | undefined {
  const qualified = servers.filter((server) => isQualified(name, server.name));
  const chosen = servers.some((server) => Object.values(server.rename ?? {}).includes(name));
  const [server] = servers.length === 1 ? servers : qualified;
  if (server === undefined || chosen) return undefined;
  if (servers.length > 1)
    return qualified.length === 1
      ? { server: server.name, tool: name.slice(server.name.length + 1) }
      : undefined;
  const own = qualified.length === 0 && !name.startsWith(cleanName(prefixOf(server)));
  return own && server.prefix === undefined ? { server: server.name, tool: name } : undefined;
}

// --- internal ---

/** True where `name` begins with this server's name and a divider: the rest may be an own name of its tools. */
function isQualified(name: string, server: string): boolean {
  const divider = name[server.length];
  return name.startsWith(server) && (divider === "." || divider === "/");
}

function isAlone(servers: readonly NamedServer[]): boolean {
  return servers.length === 1 && servers[0]?.prefix === undefined;
}

function prefixOf(server: NamedServer): string {
  return server.prefix ?? `${server.name}_`;
}

function cleanName(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]/gu, "_");
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

function renameOf(server: NamedServer, tool: string): string | undefined {
  const { rename } = server;
  return rename !== undefined && Object.hasOwn(rename, tool) ? rename[tool] : undefined;
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
