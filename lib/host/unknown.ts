/** Names that nobody knows: which tools or servers they may have meant. Pure. */
import { HostError } from "../base/errors.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { ToolList } from "../client/types.ts";
import type { NamedServer } from "./name-table.ts";
import { namesOf } from "./names.ts";
import type { ServerStatus } from "./types.ts";

/** What is known of a tool by its names (`NameEntry`, `HostTool`). */
interface Named {
  name: string;
  server: string;
  tool: string;
}

/**
 * The exposed names of at most 3 tools, best first. What stands before the first `.` or `/` may be a server's name that is
 * wrong, too; other hosts say `mcp__SERVER__TOOL`.
 */
export function nearestTools(wanted: string, tools: readonly Named[]): string[] {
  const candidates = tools.map(
    ({ name, server, tool }) => [name, tool, `${server}.${tool}`] as const,
  );
  const found = nearest(wanted, candidates);
  const behind = wanted.slice(foreign.test(wanted) ? 5 : wanted.search(/[./]/) + 1);
  return found.length > 0 || behind === wanted ? found : nearest(behind, candidates);
}

/** How many there are, as a hint where no name is near. */
export function numberOf(tools: number): string {
  if (tools === 0) return "there are no tools";
  return tools === 1 ? "there is 1 tool" : `there are ${tools} tools`;
}

/**
 * The error for a tool that no list has: `usage`; `denied` where servers may not start, which could have it.
 * @param offered the tools that there are
 */
export function unknownTool(
  name: string,
  offered: readonly Named[],
  servers: readonly ServerStatus[],
): HostError {
  const near = nearestTools(name, offered);
  const failed = servers.flatMap(({ name: server, error }) => (error ? [{ server, error }] : []));
  const denied = failed.filter(({ error }) => error.code === "denied");
  const down = failed.filter(({ error }) => error.code !== "denied");
  const others = down.map(({ error }) => `not listed: ${error.message}`);
  const [first, ...more] = denied;
  if (first === undefined)
    return new HostError("usage", `no tool is called ${JSON.stringify(name)}`, {
      facts: { tool: name, nearest: near },
      hint: [didYouMean(near) ?? numberOf(offered.length), ...others].join("; "),
    });
  const texts = [`no tool that may be used is called ${JSON.stringify(name)}`, first.error.message];
  if (more.length > 0) texts.push(`nor may ${more.map(({ server }) => server).join(", ")} start`);
  const hints = [first.error.hint, didYouMean(near), ...others].filter((one) => one !== undefined);
  return new HostError("denied", texts.join("; "), {
    facts: { tool: name, nearest: near, servers: denied.map(({ server }) => server) },
    ...(hints.length > 0 && { hint: hints.join("; ") }),
  });
}

/**
 * The error for what no server is known to have, where some failed and may have it: as that of the first of them, with what
 * the others know. Where none answered it is that one's own.
 * @param isAnyListed false: all failed
 */
export function unknownBeside(
  error: HostError,
  failed: readonly { error: HostError }[],
  isAnyListed: boolean,
): HostError {
  const [first] = failed;
  if (first === undefined) return error;
  if (!isAnyListed) return first.error;
  const { code, facts, hint, cause } = first.error;
  const { nearest: near } = error.facts;
  const hints = [Array.isArray(near) && near.length > 0 ? error.hint : undefined, hint];
  const told = hints.filter((one) => one !== undefined).join("; ");
  const reasons = failed.map((one) => one.error.message).join("; ");
  return new HostError(code, `${error.message}, and not all could be asked: ${reasons}`, {
    facts: { ...facts, ...error.facts },
    ...(told !== "" && { hint: told }),
    cause,
  });
}

/** The error `usage` for a server that is not among those that are known. */
export function unknownServer(name: string, known: readonly string[]): HostError {
  const near = nearest(name, known);
  const all =
    known.length === 0
      ? "no server is configured"
      : `the ${known.length === 1 ? "only server is" : "servers are"} ${known.join(", ")}`;
  return new HostError("usage", `no server is called ${JSON.stringify(name)}`, {
    facts: { server: name, nearest: near, servers: known },
    hint: didYouMean(near) ?? all,
  });
}

/** A tool that its server's filters hold back. */
export function notOffered(server: string, tool: string): HostError {
  const text = `${tool} of server "${server}" is not offered: allowedTools or deniedTools of the server say so`;
  return new HostError("denied", text, { facts: { server, tool } });
}

/** The error for a tool that its server lists, and that must not be used as it is listed; undefined: none lists it. */
export function unusableTool(name: string, servers: Iterable<Listed>): HostError | undefined {
  for (const { config, lastTools } of servers)
    for (const { tool, why } of lastTools?.unusable ?? []) {
      if (!namesOf({ ...config, tools: [] }, tool).includes(name)) continue;
      const text = `${tool} of server "${config.name}" is not offered: ${why}`;
      return new HostError("denied", text, {
        facts: { server: config.name, tool },
        hint: "that is a fault of the server: over HTTP such a tool must not be called",
      });
    }
  return undefined;
}

// --- internal ---

interface Listed {
  config: Omit<NamedServer, "tools">;
  lastTools: Pick<ToolList, "unusable"> | undefined;
}

/** How names begin in Claude Code. */
const foreign = /^mcp__/;
