/**
 * What a given name can mean: a tool by the table of names, or the servers that could have it where nothing is listed. Pure.
 * The way back is the table; no exposed name is ever taken apart.
 */
import { HostError } from "../base/errors.ts";
import { cleanName, headMax, nameMax, prefixOf, renameOf } from "./name-table.ts";
import type { NamedServer, NameEntry, NameTable } from "./name-table.ts";

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

/** The one that was found, if any. @throws HostError `usage` for several: none is chosen */
export function onlyOf(
  kind: "tool" | "prompt",
  name: string,
  found: readonly NameEntry[],
): NameEntry | undefined {
  if (found.length < 2) return found[0];
  const candidates = found.map(({ server, tool }) => `${server}/${tool}`);
  throw new HostError("usage", `${JSON.stringify(name)} is a ${kind} of several servers`, {
    facts: { [kind]: name, candidates },
    hint: `say which: ${candidates.join(", ")}`,
  });
}

/**
 * The servers whose exposed or qualified names a name could be, known from the config alone. Every server that a
 * collision could involve is among them, so that listing these gives the same names as listing all.
 */
export function serversMeant(name: string, servers: readonly NamedServer[]): string[] {
  // Nobody else can have the name of a plugin's tool.
  for (const server of servers)
    if (server.isPlugin && renameOf(server, name) === name) return [server.name];
  const isOnly = servers.filter((server) => !server.isPlugin).length === 1;
  const head = name.slice(0, headMax);
  // Computed names are clean and short; only a chosen one can be anything.
  const computed = name.length <= nameMax && name === cleanName(name);
  return servers
    .filter((server) => {
      if ((isOnly && !server.isPlugin) || isQualified(name, server.name)) return true;
      const prefixes = computed && !server.isPlugin ? [cleanName(prefixOf(server))] : [];
      const begins = [...prefixes, ...Object.values(server.rename ?? {})];
      return begins.some((begin) => head.startsWith(begin.slice(0, headMax)));
    })
    .map((server) => server.name);
}

/** The servers that the exposed names of some servers depend on: all that could claim one of these names. */
export function claimants(
  wanted: ReadonlySet<string>,
  { entries }: NameTable,
  servers: readonly NamedServer[],
): Set<string> {
  const shown = entries.filter((entry) => wanted.has(entry.server));
  return new Set(shown.flatMap((entry) => serversMeant(entry.name, servers)));
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
