/**
 * The lists of the gateway: of all servers that answer in time, entries as each revision takes them, in pages. A server
 * that does not answer delays nobody for long and costs nobody else's entries (protocol.md 2.6, 12).
 */
import { sleep } from "../base/async.ts";
import type { JsonObject } from "../base/json.ts";
import type { HostPrompt, HostResource, HostTemplate } from "../host/feature-types.ts";
import type { HostTool, ServerStatus } from "../host/types.ts";
import type { ListName } from "../protocol/subscriptions.ts";
import { Cursors } from "./gateway-cursors.ts";
import { entryFor, namesOf, toolEntry, unique } from "./gateway-entries.ts";
import type { Behind, Question, Scope } from "./gateway-types.ts";

export interface ListsOptions {
  /** How long a list waits for servers that do not answer. */
  listMs: number;
  pageMax: number;
}

/** Where entries come from, and who hears of those that come late. */
type Source = Pick<Behind, "host" | "news">;

/** What one server gave, or why it did not. */
interface Gathered<Item> {
  items: Item[];
  failed: { server: string; error: unknown }[];
}

export class Lists {
  readonly #listMs: number;
  readonly #cursors: Cursors;

  constructor({ listMs, pageMax }: ListsOptions) {
    this.#listMs = listMs;
    this.#cursors = new Cursors(pageMax);
  }

  async tools({ params, from, signal }: Question, behind: Source): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = behind;
    // Those that rest have not changed: only what runs, or was never listed, is asked.
    const resting = new Set(
      host
        .servers()
        .filter(isResting)
        .map(({ name }) => name),
    );
    const listed = await this.#gather<string>(
      "tools",
      { scope, signal, ...behind },
      async (servers) => {
        if (servers.every((name) => resting.has(name))) return { items: servers, failed: [] };
        const { tools, failed } = await host.tools({ servers, signal });
        // One whose list is not whole has some.
        return { items: failed.length === 0 || tools.length > 0 ? servers : [], failed };
      },
    );
    const { tools } = await host.knownTools();
    const nameOf = (tool: HostTool) => (scope.server === undefined ? tool.name : tool.tool);
    const shown = tools.filter(
      ({ server, tool, name }) =>
        listed.includes(server) && scope.allows(namesOf(server, tool, name)),
    );
    const { items, ...rest } = this.#page(shown, nameOf, "tools", scope, params);
    return { tools: items.map((tool) => toolEntry(tool, nameOf(tool), knows)), ...rest };
  }

  async prompts({ params, from, signal }: Question, behind: Source): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = behind;
    const all = await this.#gather<HostPrompt>(
      "prompts",
      { scope, signal, ...behind },
      async (servers) => {
        const { prompts: items, failed } = await host.prompts({ servers, signal });
        return { items, failed };
      },
    );
    const nameOf = (one: HostPrompt) => (scope.server === undefined ? one.name : one.prompt);
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.prompt, one.name)));
    const { items, ...rest } = this.#page(shown, nameOf, "prompts", scope, params);
    return {
      prompts: items.map((one) => ({ ...entryFor(one.raw, knows), name: nameOf(one) })),
      ...rest,
    };
  }

  async resources({ params, from, signal }: Question, behind: Source): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = behind;
    const all = await this.#gather<HostResource>(
      "resources",
      { scope, signal, ...behind },
      async (servers) => {
        const { resources: items, failed } = await host.resources({ servers, signal });
        return { items, failed };
      },
    );
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.uri)));
    const nameOf = scope.server === undefined ? unique(shown, uriOf, URL.canParse) : uriOf;
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

  async templates({ params, from, signal }: Question, behind: Source): Promise<JsonObject> {
    const { scope, knows } = from;
    const { host } = behind;
    const all = await this.#gather<HostTemplate>(
      "resources",
      { scope, signal, ...behind },
      async (servers) => {
        const { templates: items, failed } = await host.resources({ servers, signal });
        return { items, failed };
      },
    );
    const shown = all.filter((one) => scope.allows(namesOf(one.server, one.uriTemplate)));
    const nameOf = scope.server === undefined ? unique(shown, templateOf) : templateOf;
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
    { scope, signal, host, news }: Source & { scope: Scope; signal: AbortSignal },
    fetch: (servers: string[]) => Promise<Gathered<Item>>,
  ): Promise<Item[]> {
    const { server: only } = scope;
    if (only !== undefined) {
      const { items, failed } = await fetch([only]);
      const [failure] = failed.filter(({ server }) => server === only);
      if (failure !== undefined) throw failure.error;
      return items;
    }
    const late = new AbortController();
    const patience = sleep(this.#listMs, AbortSignal.any([late.signal, signal])).catch(() => {});
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

// --- internal ---

const uriOf = ({ uri }: HostResource) => uri;
const templateOf = ({ uriTemplate }: HostTemplate) => uriTemplate;

/** Its tools are known, and it does not run. */
function isResting({ state, tools }: ServerStatus): boolean {
  return tools !== undefined && (state === "idle" || state === "stopped");
}
