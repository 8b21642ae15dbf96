/**
 * The lists of the gateway: of all servers that answer in time, entries as each revision takes them, in pages. A server
 * that does not answer delays nobody for long and costs nobody else's entries (protocol.md 2.6, 12).
 */
import { sleep } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { HostPrompt, HostResource, HostTemplate } from "../host/feature-types.ts";
import type { HostTool, OpenedHost } from "../host/types.ts";
import type { Knowledge } from "../protocol/revisions.ts";
import type { ListName } from "../protocol/subscriptions.ts";
import { Cursors } from "./gateway-cursors.ts";
import type { News } from "./gateway-news.ts";
import type { Question, Scope } from "./gateway-types.ts";

export interface ListsOptions {
  host: OpenedHost;
  news: News;
  listMs: number;
  pageMax: number;
}

/** What one server gave, or why it did not. */
interface Gathered<Item> {
  items: Item[];
  failed: { server: string; error: unknown }[];
}

export class Lists {
  readonly #options: ListsOptions;
  readonly #cursors: Cursors;

  constructor(options: ListsOptions) {
    this.#options = options;
    this.#cursors = new Cursors(options.pageMax);
  }

  async tools({ params, from, signal }: Question): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = this.#options;
    const tools = await this.#gather<HostTool>("tools", scope, signal, async (servers) => {
      const { tools: items, failed } = await host.tools({ servers, signal });
      return { items, failed };
    });
    const nameOf = (tool: HostTool) => (scope.server === undefined ? tool.name : tool.tool);
    const shown = tools.filter((tool) => scope.allows(namesOf(tool.server, tool.tool, tool.name)));
    const { items, ...rest } = this.#page(shown, nameOf, "tools", scope, params);
    return { tools: items.map((tool) => toolEntry(tool, nameOf(tool), knows)), ...rest };
  }

  async prompts({ params, from, signal }: Question): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = this.#options;
    const all = await this.#gather<HostPrompt>("prompts", scope, signal, async (servers) => {
      const { prompts: items, failed } = await host.prompts({ servers, signal });
      return { items, failed };
    });
    const nameOf = (one: HostPrompt) => (scope.server === undefined ? one.name : one.prompt);
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.prompt, one.name)));
    const { items, ...rest } = this.#page(shown, nameOf, "prompts", scope, params);
    return {
      prompts: items.map((one) => ({ ...entryFor(one.raw, knows), name: nameOf(one) })),
      ...rest,
    };
  }

  async resources({ params, from, signal }: Question): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = this.#options;
    const all = await this.#gather<HostResource>("resources", scope, signal, async (servers) => {
      const { resources: items, failed } = await host.resources({ servers, signal });
      return { items, failed };
    });
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.uri)));
    const nameOf = unique(shown, ({ uri }) => uri);
    const { items, ...rest } = this.#page(shown, nameOf, "resources", scope, params);
    return {
      resources: items.map((one) => ({
        ...entryFor(one.raw, knows),
        name: one.name,
        uri: nameOf(one),
      })),
      ...rest,
    };
  }

  async templates({ params, from, signal }: Question): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = this.#options;
    const all = await this.#gather<HostTemplate>("resources", scope, signal, async (servers) => {
      const { templates: items, failed } = await host.resources({ servers, signal });
      return { items, failed };
    });
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.uriTemplate)));
    const nameOf = unique(shown, ({ uriTemplate }) => uriTemplate);
    const { items, ...rest } = this.#page(shown, nameOf, "templates", scope, params);
    return {
      resourceTemplates: items.map((one) => ({
        ...entryFor(one.raw, knows),
        name: one.name,
        uriTemplate: nameOf(one),
      })),
      ...rest,
    };
  }

  // --- internal ---

  /** @throws RpcError, HostError: the only server's; of several none is thrown */
  async #gather<Item>(
    list: ListName,
    { server: only }: Scope,
    signal: AbortSignal,
    fetch: (servers: string[]) => Promise<Gathered<Item>>,
  ): Promise<Item[]> {
    const { host, news, listMs } = this.#options;
    if (only !== undefined) {
      const { items, failed } = await fetch([only]);
      const [failure] = failed.filter(({ server }) => server === only);
      if (failure !== undefined) throw failure.error;
      return items;
    }
    const late = new AbortController();
    const patience = sleep(listMs, AbortSignal.any([late.signal, signal])).catch(() => {});
    const one = async (server: string): Promise<Item[]> => {
      const fetching = fetch([server]);
      const inTime = await Promise.race([fetching, patience]);
      if (inTime === undefined) {
        news.missed(server);
        fetching.then(
          () => news.tell(list, server),
          () => {},
        );
        return [];
      }
      for (const { server: missing } of inTime.failed) news.missed(missing);
      return inTime.items;
    };
    try {
      return (await Promise.all(host.servers().map(({ name }) => one(name)))).flat();
    } finally {
      late.abort();
    }
  }

  #page<Item>(
    items: readonly Item[],
    nameOf: (item: Item) => string,
    list: string,
    { owner, server }: Scope,
    { cursor }: JsonObject,
  ) {
    const key = JSON.stringify([list, owner, server]);
    return this.#cursors.page(items, nameOf, { key, cursor: cursor ?? undefined });
  }
}

/** Every name by which rules and tokens may mean something of a server. */
export function namesOf(server: string, own: string, exposed?: string): string[] {
  const names = [own, `${server}.${own}`, `${server}/${own}`];
  return exposed === undefined ? names : [...names, exposed];
}

// --- internal ---

/** What several servers have is shown under `SERVER/URI`, which means the same to the host. */
function unique<Item extends { server: string }>(
  items: readonly Item[],
  uriOf: (item: Item) => string,
): (item: Item) => string {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(uriOf(item), (counts.get(uriOf(item)) ?? 0) + 1);
  return (item) => {
    const uri = uriOf(item);
    return (counts.get(uri) ?? 0) > 1 ? `${item.server}/${uri}` : uri;
  };
}

function toolEntry(tool: HostTool, name: string, knows: Knowledge): JsonObject {
  const { title, description, inputSchema, outputSchema, annotations, more = {} } = tool;
  const isKnownSchema = knows.anyStructured || (knows.titles && outputSchema?.type === "object");
  return {
    ...entryFor(more, knows),
    name,
    ...(title !== undefined && knows.titles && { title }),
    ...(description !== undefined && { description }),
    // Strict clients throw a whole list away for one schema without it.
    inputSchema: inputSchema.type === "object" ? inputSchema : { ...inputSchema, type: "object" },
    ...(outputSchema !== undefined && isKnownSchema && { outputSchema }),
    ...(annotations !== undefined && knows.annotations && { annotations: { ...annotations } }),
  };
}

/** An entry as it came, without what a revision does not know. */
function entryFor(raw: JsonObject, { icons, titles }: Knowledge): JsonObject {
  if (icons) return raw;
  const { icons: _, ...rest } = raw;
  if (titles) return rest;
  const { title: _title, ...old } = rest;
  return old;
}
