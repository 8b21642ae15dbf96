/** Names that nobody knows: which tools or servers they may have meant. Pure. */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";

/** What is known of a tool by its names (`NameEntry`, `HostTool`). */
interface Named {
  name: string;
  server: string;
  tool: string;
}

/**
 * The exposed names of at most 3 tools, best first. What stands before the first `.` or `/` may be a server's name that is
 * wrong, too.
 */
export function nearestTools(wanted: string, tools: readonly Named[]): string[] {
  const candidates = tools.map(
    ({ name, server, tool }) => [name, tool, `${server}.${tool}`] as const,
  );
  const found = nearest(wanted, candidates);
  const behind = wanted.slice(wanted.search(/[./]/) + 1);
  return found.length > 0 || behind === wanted ? found : nearest(behind, candidates);
}

/** The error `usage` for a server that is not among those that are known. */
export function unknownServer(name: string, known: readonly string[]): HostError {
  const near = nearest(name, known);
  const all = known.length === 0 ? "no server is configured" : `there are ${known.join(", ")}`;
  return new HostError("usage", `no server is called ${JSON.stringify(name)}`, {
    facts: { server: name, nearest: near, servers: known },
    hint: didYouMean(near) ?? all,
  });
}
