/**
 * Reads the lists of a server beside its tools: resources, templates, prompts (protocol.md 1.13). One odd entry never
 * costs the others, and none is left out without a word. Pure.
 */
import { shorten } from "../base/clip.ts";
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import { entriesOf } from "./meta.ts";

/** What every entry may have. `raw` is the whole object as it came. */
interface Entry {
  title?: string;
  description?: string;
  raw: JsonObject;
}

export interface Resource extends Entry {
  uri: string;
  /** Its URI where the server gave none. */
  name: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
}

export interface ResourceTemplate extends Entry {
  /** RFC 6570. */
  uriTemplate: string;
  /** The template where the server gave none. */
  name: string;
  mimeType?: string;
}

/** Values are always strings. */
export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required: boolean;
}

export interface Prompt extends Entry {
  name: string;
  arguments: PromptArgument[];
}

export interface ListPage<Item> {
  items: Item[];
  /** In words for a person, each naming the entry and the reason, without the server's name. */
  warnings: string[];
}

/** Reads one page; `seen` holds what earlier pages had, and gets what this one has. */
export type ReadPage<Item> = (result: JsonObject, seen: Set<string>) => ListPage<Item>;

/** A page of resources/list. */
export const readResources: ReadPage<Resource> = (result, seen) =>
  readList(result.resources, { what: "resource", key: "uri", seen }, (raw, uri, warn) => {
    const mimeType = readText(raw, "mimeType", warn);
    return {
      uri,
      name: readText(raw, "name", warn) ?? uri,
      ...commonOf(raw, warn),
      ...(mimeType !== undefined && { mimeType }),
      ...(typeof raw.size === "number" && { size: raw.size }),
      raw,
    };
  });

/** A page of resources/templates/list. */
export const readTemplates: ReadPage<ResourceTemplate> = (result, seen) =>
  readList(
    result.resourceTemplates,
    { what: "resource template", key: "uriTemplate", seen },
    (raw, uriTemplate, warn) => {
      const mimeType = readText(raw, "mimeType", warn);
      return {
        uriTemplate,
        name: readText(raw, "name", warn) ?? uriTemplate,
        ...commonOf(raw, warn),
        ...(mimeType !== undefined && { mimeType }),
        raw,
      };
    },
  );

/** A page of prompts/list. */
export const readPrompts: ReadPage<Prompt> = (result, seen) =>
  readList(result.prompts, { what: "prompt", key: "name", seen }, (raw, name, warn) => {
    return { name, ...commonOf(raw, warn), arguments: readArguments(raw.arguments, warn), raw };
  });

// --- internal ---

type Warn = (text: string) => void;

function readList<Item>(
  list: Json | undefined,
  { what, key, seen }: { what: string; key: string; seen: Set<string> },
  read: (raw: JsonObject, id: string, warn: Warn) => Item,
): ListPage<Item> {
  const warnings: string[] = [];
  const items: Item[] = [];
  for (const [index, raw] of entriesOf(list, what, warnings).entries()) {
    const id = isObject(raw) ? raw[key] : undefined;
    if (!isObject(raw) || typeof id !== "string") {
      const why = isObject(raw) ? `has no ${key}` : "is not an object";
      warnings.push(`entry ${index + 1} of the list of ${what}s ${why}: left out`);
    } else if (seen.has(id)) {
      warnings.push(`${what} ${quote(id)} is listed twice: the first one is used`);
    } else {
      seen.add(id);
      items.push(read(raw, id, (text) => warnings.push(`${what} ${quote(id)}: ${text}`)));
    }
  }
  return { items, warnings };
}

function commonOf(raw: JsonObject, warn: Warn): { title?: string; description?: string } {
  const title = readText(raw, "title", warn);
  const description = readText(raw, "description", warn);
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
  };
}

function readText(raw: JsonObject, key: string, warn: Warn): string | undefined {
  const value = raw[key] ?? undefined;
  if (value === undefined || typeof value === "string") return value;
  warn(`its ${key} is not a string: left out`);
  return undefined;
}

function readArguments(list: Json | undefined, warn: Warn): PromptArgument[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    warn("its arguments are not a list: taken as a prompt without arguments");
    return [];
  }
  const seen = new Set<string>();
  return list.flatMap((raw, index): PromptArgument[] => {
    if (!isObject(raw) || typeof raw.name !== "string" || seen.has(raw.name)) {
      const twice = isObject(raw) && typeof raw.name === "string";
      warn(`its argument ${index + 1} ${twice ? "is listed twice" : "has no name"}: left out`);
      return [];
    }
    seen.add(raw.name);
    return [{ name: raw.name, ...commonOf(raw, warn), required: raw.required === true }];
  });
}

function quote(text: string): string {
  return shorten(JSON.stringify(text), 100);
}
