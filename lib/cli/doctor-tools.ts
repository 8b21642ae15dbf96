/** The tools of the servers that the doctor looked at, as `tools` would show them: named together, filters heeded. Pure. */
import { silent } from "../base/log.ts";
import type { ServerConfig } from "../config/types.ts";
import { isOffered } from "../hooks/rules.ts";
import { allNames, ToolTables } from "../host/tables.ts";
import type { HostTool } from "../host/types.ts";
import type { Examined } from "./examine-types.ts";

/** By server, for those that listed their tools. Notes in each examination what is offered and what was odd. */
export function offeredTools(
  servers: readonly ServerConfig[],
  examined: readonly Examined[],
): Map<string, HostTool[]> {
  const byName = new Map(examined.map((found) => [found.seen.name, found]));
  const shown = servers
    .filter((server) => server.disabled !== true || byName.has(server.name))
    .map((config) => {
      const list = byName.get(config.name)?.list;
      return { config, lastTools: list && { ...list, at: 0 } };
    });
  const tables = new ToolTables(shown, { policy: [], log: silent });
  const { table, tools } = tables.get();
  const offered = new Map<string, HostTool[]>();
  for (const { config } of shown) {
    const found = byName.get(config.name);
    if (!found?.list) continue;
    const entries = table.entries.filter((entry) => entry.server === config.name);
    const own = entries.filter((entry) => isOffered(config, allNames(config, entry)));
    offered.set(
      config.name,
      own.flatMap((entry) => tools.get(entry) ?? []),
    );
    found.seen.tools = own.length;
    found.seen.toolsHidden = entries.length - own.length;
    const warnings = tables.warnings().filter(({ server }) => server === config.name);
    found.seen.warnings = warnings.map(({ text }) => text);
  }
  return offered;
}
