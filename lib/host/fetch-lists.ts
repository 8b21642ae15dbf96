/** The tools of several servers, fetched at the same time where they are not had. Remembers nothing itself. */
import { toHostError } from "./failure.ts";
import type { UseOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { ServerStatus, ToolListing } from "./types.ts";
import { unknownServer } from "./unknown.ts";
import { givenUp } from "./wait.ts";

/** Those that fail, or whose list is not whole, are returned, in the order given. @throws HostError when the signal fires, and nothing else */
export async function fetchLists(
  names: Iterable<string>,
  servers: ReadonlyMap<string, HostedServer>,
  options: UseOptions,
): Promise<ToolListing["failed"]> {
  const failures: ToolListing["failed"] = [];
  const load = async (name: string): Promise<void> => {
    try {
      const server = servers.get(name);
      if (server === undefined) throw unknownServer(name, [...servers.keys()]);
      const { failure } = await server.tools(options);
      if (failure !== undefined) failures.push({ server: name, error: toHostError(failure, name) });
    } catch (error) {
      failures.push({ server: name, error: toHostError(error, name) });
    }
  };
  const order = [...names];
  await Promise.all(order.map(load));
  const { aborted, reason } = options.signal;
  if (!aborted && failures.length < 2) return failures;
  if (!aborted)
    return failures.toSorted((a, b) => order.indexOf(a.server) - order.indexOf(b.server));
  const cut = failures.find(({ error }) => error.cause === reason);
  throw givenUp(options.signal, cut?.error.facts);
}

/** Only later pages of its list failed: what came before them is had. */
export function isPartial(
  { server, error }: ToolListing["failed"][number],
  servers: ReadonlyMap<string, HostedServer>,
): boolean {
  return servers.get(server)?.lastTools?.failure === error;
}

/** How each server is; one whose list is not whole has an error, too. */
export function statusesOf(servers: Iterable<HostedServer>): ServerStatus[] {
  return Array.from(servers, (server) => {
    const failure = server.lastTools?.failure;
    const status = server.status();
    return failure === undefined ? status : { error: toHostError(failure, server.name), ...status };
  });
}

/** Why what was listed last is not all that there is. */
export function knownFailures(servers: ReadonlyMap<string, HostedServer>): ToolListing["failed"] {
  return statusesOf(servers.values()).flatMap(({ name: server, tools, error }) => {
    if (error === undefined) return [];
    const isFailed = tools === undefined || isPartial({ server, error }, servers);
    return isFailed ? [{ server, error }] : [];
  });
}
