/** What resources and prompts a server had when they were last listed, for completion only: as tool-cache.ts does for tools. */
import { isObject } from "../base/json.ts";
import type { Env } from "../config/paths.ts";
import type { ServerConfig } from "../config/types.ts";
import type { HostPrompt, HostResource, HostTemplate } from "../host/feature-types.ts";
import { recall, remember } from "./tool-cache.ts";

/** A prompt as completion needs it. */
export interface RecalledPrompt {
  /** The exposed name. */
  name: string;
  server: string;
  /** The server's own name. */
  prompt: string;
  description?: string;
  arguments: { name: string; description?: string; required: boolean }[];
}

/** A resource, or a template of some. */
export interface RecalledResource {
  server: string;
  uri?: string;
  template?: string;
  description?: string;
}

/** Keeps the prompts of one server. Never throws. */
export async function rememberPrompts(
  env: Env,
  server: ServerConfig,
  prompts: readonly HostPrompt[],
): Promise<void> {
  const kept = prompts.map(({ name, prompt, title, description, arguments: args }) => ({
    name,
    prompt,
    ...short(description ?? title),
    arguments: args.map((one) => ({
      name: one.name,
      ...short(one.description ?? one.title),
      required: one.required,
    })),
  }));
  await remember(env, "prompts", server, { prompts: kept });
}

/** Keeps the resources and templates of one server. Never throws. */
export async function rememberResources(
  env: Env,
  server: ServerConfig,
  items: readonly (HostResource | HostTemplate)[],
): Promise<void> {
  const kept = items.map((item) => ({
    ...("uri" in item ? { uri: item.uri } : { template: item.uriTemplate }),
    ...short(item.title ?? item.name),
  }));
  await remember(env, "resources", server, { resources: kept });
}

/** The prompts that were remembered for this very entry. */
export async function recalledPrompts(env: Env, server: ServerConfig): Promise<RecalledPrompt[]> {
  const prompts = (await recall(env, "prompts", server))?.["prompts"];
  if (!Array.isArray(prompts)) return [];
  return prompts.filter(isPrompt).map((prompt) => ({ ...prompt, server: server.name }));
}

/** The resources that were remembered for this very entry. */
export async function recalledResources(
  env: Env,
  server: ServerConfig,
): Promise<RecalledResource[]> {
  const resources = (await recall(env, "resources", server))?.["resources"];
  if (!Array.isArray(resources)) return [];
  return resources.filter(isResource).map((item) => ({ ...item, server: server.name }));
}

// --- internal ---

function short(text: string | undefined): { description?: string } {
  return text === undefined ? {} : { description: text.slice(0, 200) };
}

function isPrompt(value: unknown): value is RecalledPrompt {
  return (
    isObject(value) &&
    typeof value["name"] === "string" &&
    typeof value["prompt"] === "string" &&
    isTextOrNone(value["description"]) &&
    Array.isArray(value["arguments"]) &&
    value["arguments"].every(
      (one) =>
        isObject(one) &&
        typeof one["name"] === "string" &&
        typeof one["required"] === "boolean" &&
        isTextOrNone(one["description"]),
    )
  );
}

function isResource(value: unknown): value is RecalledResource {
  return (
    isObject(value) &&
    isTextOrNone(value["uri"]) &&
    isTextOrNone(value["template"]) &&
    isTextOrNone(value["description"])
  );
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}
