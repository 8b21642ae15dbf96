/** The tools of several servers, fetched at the same time where they are not had. Remembers nothing itself. */
import { toHostError } from "./failure.ts";
import type { UseOptions } from "./server-types.ts";
import type { HostedServer } from "./server.ts";
import type { ToolListing } from "./types.ts";
import { unknownServer } from "./unknown.ts";
import { givenUp } from "./wait.ts";

/** Those that fail are returned, in the order given. @throws HostError when the signal fires, and nothing else */
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
      await server.tools(options);
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
