/** The names and tools of all servers as one table, made anew only when a list is another. Fetches nothing. */
import type { Log } from "../base/log.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { PolicyRule } from "../config/types.ts";
import { describeRule, idlePatterns, isOffered } from "../hooks/rules.ts";
import type { Decision, RuleSubject } from "../hooks/rules.ts";
import { toHostTool } from "./host-tool.ts";
import { nameTools } from "./name-table.ts";
import type { NamedServer, NameEntry, NameTable } from "./name-table.ts";
import { claimants, namesOf } from "./names.ts";
import type { HostedConfig } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { HostTool, ToolListing } from "./types.ts";
import { notOffered } from "./unknown.ts";

/** A tool that a name means. */
export interface Target {
  server: HostedServer;
  /** The server's own name. */
  tool: string;
  /** Every name that rules and filters may know it by. */
  names: string[];
  /** Undefined where nothing was listed. */
  listed: HostTool | undefined;
  /** The rules for it, made ready by the first call. */
  decide?: (subject: RuleSubject) => Decision;
}

export type ListedTarget = Target & { listed: HostTool };

export interface Tables {
  table: NameTable;
  tools: Map<NameEntry, HostTool>;
  /** What names were found to mean here, and the servers whose lists that rests on. */
  resolved: Map<string, { target: ListedTarget; servers: readonly HostedServer[] }>;
}

export interface RuleOptions {
  policy: readonly PolicyRule[];
  log: Log;
}

/** What of a server makes tables: a `HostedServer`. */
export interface ListedServer {
  readonly config: HostedConfig;
  readonly lastTools: FetchedTools | undefined;
}

const shownMax = 20;

/** Every name that a tool may be written by in a rule. */
export function allNames(config: HostedConfig, { tool, name }: NameEntry): string[] {
  return [...namesOf({ ...config, tools: [] }, tool), name];
}

/** @throws HostError `denied` where its server's filters hold it back */
export function offered<T extends Target>(target: T): T {
  const { server, tool, names } = target;
  if (!isOffered(server.config, names)) throw notOffered(server.name, tool);
  return target;
}

export class ToolTables {
  /** The servers as naming sees them, without their tools. */
  readonly named: readonly NamedServer[];
  readonly #servers: readonly ListedServer[];
  #lists: (FetchedTools | undefined)[] = [];
  #tables: Tables | undefined;
  readonly #options: RuleOptions;
  #flagsChecked = false;

  constructor(servers: readonly ListedServer[], options: RuleOptions) {
    this.#servers = servers;
    this.#options = options;
    this.named = servers.map(({ config: { kind, name, prefix, rename } }) => {
      return { name, prefix, rename, isPlugin: kind === "plugin", tools: [] };
    });
  }

  /** Over the lists that were fetched last. */
  get(): Tables {
    if (this.#tables !== undefined && !this.#hasChanged()) return this.#tables;
    this.#lists = this.#servers.map((server) => server.lastTools);
    this.#tables = this.#build();
    return this.#tables;
  }

  /** The servers that the names of `wanted` depend on. */
  claimants(wanted: ReadonlySet<string>): Set<string> {
    return claimants(wanted, this.get().table, this.named);
  }

  /** What was odd in the lists, which tools got other names, which filters match nothing. */
  warnings(): ToolListing["warnings"] {
    const { entries } = this.get().table;
    return this.#servers.flatMap(({ config, lastTools }) => {
      if (lastTools === undefined) return [];
      const own = entries.filter((entry) => entry.server === config.name);
      const names = own.map((entry) => allNames(config, entry));
      const filters = ["allowedTools", "deniedTools", "toolsWithoutApproval"] as const;
      const idle = filters.flatMap((key) =>
        idlePatterns(config[key] ?? [], names).map((name) => idleText(key, name, names.flat())),
      );
      const ownNames = own.map(({ tool }) => tool);
      const renames = Object.keys(config.rename ?? {})
        .filter((name) => !ownNames.includes(name))
        .map((name) => idleText("rename", name, ownNames));
      const texts = [...lastTools.warnings, ...renamed(own), ...idle, ...renames];
      return texts.map((text) => ({ server: config.name, text }));
    });
  }

  /** Warns once, when all servers are listed, of rules that name none of their tools: typing errors, most likely. The user's own config is about more servers than these. */
  checkFlags(): void {
    const { policy, log } = this.#options;
    if (policy.length === 0 || this.#flagsChecked) return;
    if (this.#servers.some((server) => server.lastTools === undefined)) return;
    this.#flagsChecked = true;
    const rules = policy.filter(({ origin }) => origin !== undefined && origin.kind !== "user");
    if (rules.length === 0) return;
    const { byServer } = this.get().table;
    const names = this.#servers.flatMap(({ config }) =>
      [...(byServer.get(config.name)?.values() ?? [])].map((entry) => allNames(config, entry)),
    );
    const servers = this.#servers.map(({ config }) => [config.name]);
    for (const rule of rules) {
      if (!isIdle(rule.tools, names) && !isIdle(rule.servers, servers)) continue;
      const why = rule.origin?.file === undefined ? "is the name of" : "matches";
      log({ level: "warn", text: `${describeRule(rule)} ${why} no tool here` });
    }
  }

  // --- internal ---

  /** Asked by every call: a loop, and no callback. */
  #hasChanged(): boolean {
    for (let i = 0; i < this.#servers.length; i++)
      if (this.#servers[i]?.lastTools !== this.#lists[i]) return true;
    return false;
  }

  #build(): Tables {
    const table = nameTools(
      this.named.map((server, i) => {
        return { ...server, tools: this.#lists[i]?.tools.map((tool) => tool.name) ?? [] };
      }),
    );
    const tools = new Map<NameEntry, HostTool>();
    for (const { config, lastTools } of this.#servers) {
      const entries = table.byServer.get(config.name);
      for (const tool of lastTools?.tools ?? []) {
        const entry = entries?.get(tool.name);
        if (entry !== undefined && !tools.has(entry)) tools.set(entry, toHostTool(tool, entry));
      }
    }
    return { table, tools, resolved: new Map() };
  }
}

function isIdle(glob: string | undefined, named: readonly (readonly string[])[]): boolean {
  return glob !== undefined && idlePatterns([glob], named).length > 0;
}

function idleText(key: string, name: string, known: readonly string[]): string {
  const text = `${key}: ${JSON.stringify(name)} is the name of none of its tools`;
  const meant = didYouMean(nearest(name, known, 1).map((near) => JSON.stringify(near)));
  return meant === undefined ? text : `${text}; ${meant}`;
}

function renamed(entries: readonly NameEntry[]): string[] {
  const changed = entries.filter((entry) => entry.changed);
  if (changed.length === 0) return [];
  const shown = changed
    .slice(0, shownMax)
    .map(({ tool, name }) => `${JSON.stringify(tool)} is ${name}`);
  if (changed.length > shown.length) shown.push(`and ${changed.length - shown.length} more`);
  return [`tools with another name here: ${shown.join(", ")}`];
}
