/** The names and tools of all servers as one table, made anew only when a list is another. Fetches nothing. */
import { idlePatterns } from "../hooks/rules.ts";
import type { Tool } from "../protocol/mcp.ts";
import { namesOf, nameTools } from "./names.ts";
import type { NamedServer, NameEntry, NameTable } from "./names.ts";
import type { HostedServer } from "./server.ts";
import type { FetchedTools } from "./tool-list.ts";
import type { HostTool, ToolListing } from "./types.ts";

/** A tool that a name means. */
export interface Target {
  server: HostedServer;
  /** The server's own name. */
  tool: string;
  /** Every name that rules and filters may know it by. */
  names: string[];
  /** Undefined where nothing was listed. */
  listed: HostTool | undefined;
}

export type ListedTarget = Target & { listed: HostTool };

export interface Tables {
  table: NameTable;
  tools: Map<NameEntry, HostTool>;
  /** What names were found to mean here, and the servers whose lists that rests on. */
  resolved: Map<string, { target: ListedTarget; servers: readonly HostedServer[] }>;
}

const shownMax = 20;

export class ToolTables {
  /** The servers as naming sees them, without their tools. */
  readonly named: readonly NamedServer[];
  readonly #servers: readonly HostedServer[];
  #lists: (FetchedTools | undefined)[] = [];
  #tables: Tables | undefined;

  constructor(servers: readonly HostedServer[]) {
    this.#servers = servers;
    this.named = servers.map(({ config: { name, prefix, rename } }) => {
      return { name, prefix, rename, tools: [] };
    });
  }

  /** Over the lists that were fetched last. */
  get(): Tables {
    const lists = this.#servers.map((server) => server.lastTools);
    if (this.#tables === undefined || lists.some((list, i) => list !== this.#lists[i])) {
      this.#lists = lists;
      this.#tables = this.#build();
    }
    return this.#tables;
  }

  /** What was odd in the lists, which tools got other names, which filters match nothing. */
  warnings(): ToolListing["warnings"] {
    const { entries } = this.get().table;
    return this.#servers.flatMap(({ config, lastTools }) => {
      if (lastTools === undefined) return [];
      const own = entries.filter((entry) => entry.server === config.name);
      const names = own.map((entry) => [
        ...namesOf({ ...config, tools: [] }, entry.tool),
        entry.name,
      ]);
      const idle = (key: "allowedTools" | "deniedTools") =>
        idlePatterns(config[key] ?? [], names).map(
          (pattern) => `${key}: ${JSON.stringify(pattern)} is the name of none of its tools`,
        );
      const texts = [
        ...lastTools.warnings,
        ...renamed(own),
        ...idle("allowedTools"),
        ...idle("deniedTools"),
      ];
      return texts.map((text) => ({ server: config.name, text }));
    });
  }

  // --- internal ---

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

function toHostTool(tool: Tool, { name, server }: NameEntry): HostTool {
  const { title, description, inputSchema, outputSchema, annotations } = tool;
  return {
    name,
    server,
    tool: tool.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
  };
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
