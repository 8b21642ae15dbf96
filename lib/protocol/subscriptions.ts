/**
 * What can be subscribed to, and what comes of it, as data (protocol.md 1.10): the filter of `subscriptions/listen`, its
 * acknowledgement, and notifications read as updates. Pure.
 */
import { isObject } from "../base/json.ts";
import type { Json, JsonObject } from "../base/json.ts";
import type { Capabilities } from "./mcp.ts";
import { metaPrefix } from "./meta.ts";

export type ListName = "tools" | "prompts" | "resources";

/** What somebody wants to hear of. */
export interface Topics {
  /** Lists that change. */
  lists?: readonly ListName[];
  /** Resources that change. */
  uris?: readonly string[];
}

/** What a server told. `params` are the notification's own. */
export type Update =
  | { kind: "list"; list: ListName; params: JsonObject }
  | { kind: "resource"; uri: string; params: JsonObject };

/** The params of `subscriptions/listen`. */
export function listenParams({ lists = [], uris = [] }: Topics): JsonObject {
  return {
    notifications: {
      ...Object.fromEntries(lists.map((list) => [`${list}ListChanged`, true])),
      ...(uris.length > 0 && { resourceSubscriptions: [...uris] }),
    },
  };
}

/** Which of the topics an acknowledgement honours. */
export function acknowledged(params: JsonObject, { lists = [], uris = [] }: Topics): Topics {
  const said = isObject(params.notifications) ? params.notifications : {};
  const kept = Array.isArray(said.resourceSubscriptions) ? said.resourceSubscriptions : [];
  return {
    lists: lists.filter((list) => said[`${list}ListChanged`] === true),
    uris: uris.filter((uri) => kept.includes(uri)),
  };
}

/** Which of the topics a legacy server says that it tells of. */
export function declared(capabilities: Capabilities, { lists = [], uris = [] }: Topics): Topics {
  const says = (name: ListName, key: string) => {
    const part = capabilities[name];
    return isObject(part) && part[key] === true;
  };
  return {
    lists: lists.filter((list) => says(list, "listChanged")),
    uris: says("resources", "subscribe") ? uris : [],
  };
}

/** Those of `asked` that are not in `got`, in words. */
export function missingTopics({ lists = [], uris = [] }: Topics, got: Topics): string[] {
  return [
    ...lists.filter((list) => got.lists?.includes(list) !== true).map((list) => `the ${list} list`),
    ...uris.filter((uri) => got.uris?.includes(uri) !== true),
  ];
}

/** The update in a notification; undefined where it is about something else. */
export function readUpdate(method: string, params: JsonObject): Update | undefined {
  const list = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
  if (list !== undefined) return { kind: "list", list: list as ListName, params };
  const { uri } = params;
  if (method !== "notifications/resources/updated" || typeof uri !== "string") return undefined;
  return { kind: "resource", uri, params };
}

/** Whether an update is about one of the topics. A server may tell of a part of a resource that is subscribed to. */
export function isAbout(update: Update, { lists = [], uris = [] }: Topics): boolean {
  if (update.kind === "list") return lists.includes(update.list);
  return uris.some((uri) => update.uri === uri || update.uri.startsWith(uri));
}

/** The id of the `subscriptions/listen` that a notification belongs to. */
export function subscriptionIdOf({ _meta }: JsonObject): Json | undefined {
  return isObject(_meta) ? _meta[`${metaPrefix}subscriptionId`] : undefined;
}
