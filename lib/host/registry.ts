/**
 * All tools of all servers: lists them, and finds the one that a name means while starting no more servers than the name
 * can mean. It never calls a tool, and never picks one of several.
 */
import { isHostError } from "../base/errors.ts";
import type { HostError } from "../base/errors.ts";
import { isOffered } from "../hooks/rules.ts";
import { fetchLists, isPartial, knownFailures, statusesOf } from "./fetch-lists.ts";
import type { NameEntry } from "./name-table.ts";
import { findBare, findNamed, namesOf, onlyOf, serversMeant, withoutList } from "./names.ts";
import type { UseOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import { offered, ToolTables } from "./tables.ts";
import type { ListedTarget, RuleOptions, Tables, Target } from "./tables.ts";
import type { ToolListing } from "./types.ts";
import { unknownServer, unknownTool, unusableTool } from "./unknown.ts";

export class Registry {
  readonly #servers: Map<string, HostedServer>;
  readonly #tables: ToolTables;

  /** @param servers in the order of the config */
  constructor(servers: readonly HostedServer[], options: RuleOptions) {
    this.#servers = new Map(servers.map((server) => [server.name, server]));
    this.#tables = new ToolTables(servers, options);
  }

  /** Lists servers, all by default, in parallel. @throws HostError `cancelled` only */
  async list(signal: AbortSignal, names?: readonly string[]): Promise<ToolListing> {
    const wanted = new Set(names ?? this.#servers.keys());
    const failed = await this.#load(wanted, { signal, listing: true });
    // A name depends on the servers that could claim it, too.
    if (names !== undefined) await this.#load(this.#tables.claimants(wanted), { signal });
    return this.#listing(wanted, failed);
  }

  /** The same by the lists that were fetched last, of all servers; those without one count as failed where they did. */
  listKnown(): ToolListing {
    return this.#listing(new Set(this.#servers.keys()), knownFailures(this.#servers));
  }

  /** What a name was found to mean, as long as nothing that this rests on has changed. */
  known(name: string): ListedTarget | undefined {
    const known = this.#tables.get().resolved.get(name);
    if (known === undefined) return undefined;
    for (const server of known.servers) if (!server.isListed) return undefined;
    return known.target;
  }

  /** The list of a server may have changed: what it answered shows that. */
  doubt(server: string): void {
    this.#servers.get(server)?.lists.doubt();
  }

  /**
   * The one tool that a name means. Where it is unknown, lists that are older than this question are fetched again once.
   * @throws HostError `usage` (unknown, ambiguous), `denied` (not offered), or why the server that it names failed
   */
  async resolve(name: string, options: UseOptions): Promise<ListedTarget> {
    const known = this.known(name);
    if (known !== undefined) return known;
    const since = performance.now();
    const asked = options.listedOnly
      ? serversMeant(name, this.#tables.named)
      : [...this.#servers.keys()];
    let found = await this.#find(name, options);
    if ((found === undefined || isHostError(found)) && this.#forget(asked, since))
      found = await this.#find(name, options);
    if (isHostError(found)) throw found;
    if (found === undefined) throw this.#unknown(name);
    return offered(found);
  }

  /**
   * The same tool by a list that is fetched anew, for what does not fit the old one (protocol.md 1.11); undefined where the
   * old one is not old. @throws as `resolve`
   */
  async anew({ server, tool }: Target, options: UseOptions): Promise<ListedTarget | undefined> {
    if (!server.lists.isOld) return undefined;
    server.lists.doubt();
    return await this.resolve(`${server.name}/${tool}`, options);
  }

  /** The same where the name alone tells it, without starting or listing anything. @throws HostError `denied` */
  resolveUnlisted(name: string): Target | undefined {
    const meant = withoutList(name, this.#tables.named);
    if (meant === undefined) return undefined;
    return offered(this.#target(meant.server, meant.tool));
  }

  // --- internal ---

  #listing(wanted: ReadonlySet<string>, failed: ToolListing["failed"]): ToolListing {
    const { table, tools } = this.#tables.get();
    const lost = failed.filter((one) => !isPartial(one, this.#servers));
    const had = wanted.difference(new Set(lost.map(({ server }) => server)));
    return {
      tools: table.entries
        .filter((entry) => had.has(entry.server) && this.#isOffered(entry))
        .flatMap((entry) => tools.get(entry) ?? []),
      failed,
      warnings: this.#tables.warnings().filter(({ server }) => had.has(server)),
    };
  }

  /** An error: the list that would have it is not whole. @throws HostError as `resolve` */
  async #find(name: string, options: UseOptions): Promise<ListedTarget | HostError | undefined> {
    const meant = serversMeant(name, this.#tables.named);
    const failed = await this.#load(meant, options);
    const tables = this.#tables.get();
    const entry = this.#only(name, findNamed(tables.table, name));
    if (entry === undefined) {
      const [first] = failed;
      if (first === undefined) return await this.#findBare(name, options);
      if (isPartial(first, this.#servers)) return first.error;
      throw first.error;
    }
    if (entry.name === name)
      for (const { server, error } of failed) if (this.#isBefore(server, entry)) throw error;
    return this.#resolved(name, entry, meant, tables);
  }

  async #findBare(name: string, options: UseOptions): Promise<ListedTarget | undefined> {
    const all = [...this.#servers.keys()];
    if (options.listedOnly !== true) await this.#load(all, options);
    const tables = this.#tables.get();
    const entry = this.#only(name, findBare(tables.table, name));
    return entry && this.#resolved(name, entry, all, tables);
  }

  /** Remembers what a name means as long as the lists that it was found in are the last ones. */
  #resolved(
    name: string,
    entry: NameEntry,
    meant: readonly string[],
    { tools, resolved }: Tables,
  ): ListedTarget | undefined {
    const listed = tools.get(entry);
    if (listed === undefined) return undefined;
    const target = { ...this.#target(entry.server, entry.tool, entry.name), listed };
    if (isOffered(target.server.config, target.names)) {
      const servers = [...this.#servers.values()].filter((server) => meant.includes(server.name));
      resolved.set(name, { target, servers });
    }
    return target;
  }

  /** What is not offered counts only where nothing else does. @throws HostError `usage` for several */
  #only(name: string, found: readonly NameEntry[]): NameEntry | undefined {
    if (found.length < 2) return found[0];
    const usable = found.filter((entry) => this.#isOffered(entry));
    return onlyOf("tool", name, usable.length > 0 ? usable : found);
  }

  /** Fetches what is not had; those that fail are returned. @throws HostError when the signal fires */
  async #load(names: Iterable<string>, options: UseOptions): Promise<ToolListing["failed"]> {
    try {
      return await fetchLists(names, this.#servers, options);
    } finally {
      this.#tables.checkFlags();
    }
  }

  /** Marks the lists of these servers from before `since` as stale. False where there is none. */
  #forget(names: readonly string[], since: number): boolean {
    const servers = names.flatMap((name) => this.#servers.get(name) ?? []);
    const old = servers.filter((server) => (server.lastTools?.at ?? since) < since);
    for (const server of old) server.lists.changed();
    return old.length > 0;
  }

  /** In the order of the config: the first of two servers has a name that both could have. */
  #isBefore(server: string, entry: NameEntry): boolean {
    const order = [...this.#servers.keys()];
    return order.indexOf(server) < order.indexOf(entry.server);
  }

  #isOffered({ server, tool, name }: NameEntry): boolean {
    const { server: hosted, names } = this.#target(server, tool, name);
    return isOffered(hosted.config, names);
  }

  #target(server: string, tool: string, exposed?: string): Target {
    const hosted = this.#servers.get(server);
    if (hosted === undefined) throw unknownServer(server, [...this.#servers.keys()]);
    const names = namesOf({ ...hosted.config, tools: [] }, tool);
    if (exposed !== undefined) names.push(exposed);
    return { server: hosted, tool, names, listed: undefined };
  }

  #unknown(name: string): HostError {
    const { entries } = this.#tables.get().table;
    const usable = entries.filter((entry) => this.#isOffered(entry));
    const servers = [...this.#servers.values()];
    return unusableTool(name, servers) ?? unknownTool(name, usable, statusesOf(servers));
  }
}
