/**
 * Links of ours to remote servers, marked so that we know a request that comes to us by one: its server is ourselves, and
 * every list would wait for itself. A mark is a random value of one link; it tells its server nothing.
 */
import { HostError } from "../base/errors.ts";
import type { McpClient } from "../client/types.ts";
import type { HttpServer } from "../config/types.ts";

/** By their marks. */
export type OwnLinks = Map<string, { server: string; isLoop: boolean }>;

/** As `connect` does, with a server whose headers hold the mark. @throws HostError `config`: it is ourselves */
export async function marked<T extends { client: McpClient }>(
  server: HttpServer,
  links: OwnLinks,
  connect: (server: HttpServer) => Promise<T>,
): Promise<T> {
  const { name, url, headers } = server;
  const mark = crypto.randomUUID();
  const link = { server: name, isLoop: false };
  links.set(mark, link);
  const forget = () => void links.delete(mark);
  try {
    const reached = await connect({ ...server, headers: { ...headers, [header]: mark } });
    void reached.client.closed.then(forget);
    return reached;
  } catch (error) {
    forget();
    if (!link.isLoop) throw error;
    throw new HostError("config", `server "${name}" leads back to this gateway itself`, {
      facts: { server: name, url },
      hint: "take it out of the config, or give it the URL of the server that was meant",
      cause: error,
    });
  }
}

/** The server by whose link a request came to us; undefined where it is a stranger's. */
export function ownLink(links: OwnLinks | undefined, headers: Headers): string | undefined {
  if (links === undefined || links.size === 0) return undefined;
  const link = links.get(headers.get(header) ?? "");
  if (link === undefined) return undefined;
  link.isLoop = true;
  return link.server;
}

// --- internal ---

const header = "mcphost-link";
