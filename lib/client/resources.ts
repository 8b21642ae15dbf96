/** Resources of one server (protocol.md 1.13): what it lists, and reading one. It decides nothing about who has which. */
import { invalidParams, RpcError } from "../protocol/jsonrpc.ts";
import { readResources, readTemplates } from "../protocol/lists.ts";
import type { Resource, ResourceTemplate } from "../protocol/lists.ts";
import type { Asked, KeptReply } from "./cache.ts";
import { listAll } from "./lists.ts";
import type { Listed, ListOptions } from "./lists.ts";
import { isOfPage } from "./pages.ts";
import type { RequestOptions } from "./types.ts";

/** None, without asking, from a server that declares no resources. @throws as `listAll` */
export async function listResources(
  client: Asked,
  options?: ListOptions,
): Promise<Listed<Resource>> {
  if (!client.capabilities.resources) return { items: [], warnings: [] };
  return await listAll(client, { method: "resources/list", read: readResources }, options);
}

/** As `listResources`. */
export async function listResourceTemplates(
  client: Asked,
  options?: ListOptions,
): Promise<Listed<ResourceTemplate>> {
  if (!client.capabilities.resources) return { items: [], warnings: [] };
  const method = "resources/templates/list";
  return await listAll(client, { method, read: readTemplates }, options);
}

/** Both. Where there are resources, templates that cannot be listed do not take them away. @throws as `listAll` */
export async function listBoth(client: Asked, options?: ListOptions) {
  const resources = await listResources(client, options);
  const templates = await listResourceTemplates(client, options).catch(
    (error: unknown): Listed<ResourceTemplate> => {
      if (resources.items.length === 0 || !isOfPage(error)) throw error;
      return { items: [], warnings: [], failure: error };
    },
  );
  const failure = resources.failure ?? templates.failure;
  return { resources, templates, ...(failure && { failure }) };
}

/** The contents at a URI, as they came. @throws RpcError (`isNotFound`); HostError as `McpClient.request` */
export async function readResource(
  client: Asked,
  uri: string,
  options?: RequestOptions,
): Promise<KeptReply> {
  return await client.request("resources/read", { uri }, options);
}

/** The server has nothing at this URI: -32602 (2026-07-28), before that -32002 (protocol.md 1.18). */
export function isNotFound(error: unknown): boolean {
  return error instanceof RpcError && (error.code === invalidParams || error.code === -32002);
}
