/** Prompts of one server (protocol.md 1.13): what it lists, and getting one. Arguments are strings and not checked here. */
import { readPrompts } from "../protocol/lists.ts";
import type { Prompt } from "../protocol/lists.ts";
import type { Asked, KeptReply } from "./cache.ts";
import { listAll } from "./lists.ts";
import type { Listed, ListOptions } from "./lists.ts";
import type { RequestOptions } from "./types.ts";

/** None, without asking, from a server that declares no prompts. @throws as `listAll` */
export async function listPrompts(client: Asked, options?: ListOptions): Promise<Listed<Prompt>> {
  if (!client.capabilities.prompts) return { items: [], warnings: [] };
  return await listAll(client, { method: "prompts/list", read: readPrompts }, options);
}

/** The messages of a prompt, as they came. @throws RpcError; HostError as `McpClient.request` */
export async function getPrompt(
  client: Asked,
  { name, arguments: args }: { name: string; arguments: Readonly<Record<string, string>> },
  options?: RequestOptions,
): Promise<KeptReply> {
  return await client.request("prompts/get", { name, arguments: { ...args } }, options);
}
