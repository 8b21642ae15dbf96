/** Which server has the resource that a client of the gateway names. */
import { isHostError } from "../base/errors.ts";
import { isObject } from "../base/json.ts";
import type { Json } from "../base/json.ts";
import type { OpenedHost } from "../host/opened-types.ts";
import type { HostTool } from "../host/types.ts";
import { namesOf, withServer } from "./gateway-entries.ts";
import { badParams } from "./gateway-errors.ts";
import type { Links } from "./gateway-links.ts";
import type { Scope } from "./gateway-types.ts";

/** Where a resource is, for who asks. */
export interface Located {
  server: string;
  /** Its server's own URI. */
  uri: string;
}

/** @throws RpcError; HostError `usage` (unknown, of several servers, or hidden) */
export async function locate(
  host: OpenedHost,
  uri: Json | undefined,
  { links, scope, signal }: { links: Links; scope: Scope; signal: AbortSignal },
): Promise<Located> {
  if (typeof uri !== "string") badParams("the uri of a resource is a string");
  const found =
    scope.server === undefined
      ? await amongAll(host, uri, { links, signal })
      : { server: scope.server, uri };
  if (!scope.allows(namesOf(found.server, found.uri)))
    badParams(`no resource is called ${JSON.stringify(uri)}`);
  return found;
}

// --- internal ---

/** As the lists have it; else as the one server that was seen to link to it, or whose tools name it as theirs. */
async function amongAll(
  host: OpenedHost,
  uri: string,
  { links, signal }: { links: Links; signal: AbortSignal },
): Promise<Located> {
  try {
    return await host.locate(withServer(uri), signal);
  } catch (error) {
    const server = links.serverOf(uri) ?? (await pageOwner(host, uri));
    const isOurs = host.servers().some(({ name }) => name === server);
    if (server === undefined || !isOurs || !isHostError(error) || error.code === "cancelled")
      throw error;
    return { server, uri };
  }
}

/** The one server with tools that are shown by this page (MCP Apps): such pages need not be listed. */
async function pageOwner(host: OpenedHost, uri: string): Promise<string | undefined> {
  const { tools } = await host.knownTools();
  const servers = new Set(
    tools.filter((tool) => pagesOf(tool).includes(uri)).map(({ server }) => server),
  );
  return servers.size === 1 ? [...servers][0] : undefined;
}

/** As the extension has them, as it had them before, and as hosts had them before it. */
function pagesOf(tool: HostTool): (Json | undefined)[] {
  const meta = tool.more?._meta;
  if (!isObject(meta)) return [];
  const page = isObject(meta.ui) ? meta.ui.resourceUri : undefined;
  return [page, meta["ui/resourceUri"], meta["openai/outputTemplate"]];
}
