/** The tools that a name which nobody knows may have meant, by the names that they are shown under. Pure. */
import { nearest } from "../base/nearest.ts";

/** What is known of a tool by its names (`NameEntry`, `HostTool`). */
interface Named {
  name: string;
  server: string;
  tool: string;
}

/** At most 3, best first. What stands before the first `.` or `/` may be a server's name that is wrong, too. */
export function nearestTools(wanted: string, tools: readonly Named[]): string[] {
  const candidates = tools.map(
    ({ name, server, tool }) => [name, tool, `${server}.${tool}`] as const,
  );
  const found = nearest(wanted, candidates);
  const behind = wanted.slice(wanted.search(/[./]/) + 1);
  return found.length > 0 || behind === wanted ? found : nearest(behind, candidates);
}
