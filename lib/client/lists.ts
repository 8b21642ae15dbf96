/** The whole of one list of a server, over all its pages and within bounds. What the list is of is told by its reader. */
import { wholeJson } from "../base/json.ts";
import type { JsonObject } from "../base/json.ts";
import { methodNotFound, RpcError } from "../protocol/jsonrpc.ts";
import type { ReadPage } from "../protocol/lists.ts";
import type { Asked } from "./cache.ts";
import { allPages, isRepetition } from "./pages.ts";
import type { RequestOptions } from "./types.ts";

export interface ListOptions extends RequestOptions {
  /** @default 1000 */
  pagesMax?: number | undefined;
  /** @default 20000 */
  itemsMax?: number | undefined;
}

export interface Listed<Item> {
  items: Item[];
  /** What was wrong with the list or with single entries, in words for a person; nothing was dropped silently. */
  warnings: string[];
  /** Why it is not all of the list: its later pages failed with that. */
  failure?: Error;
}

export interface List<Item> {
  method: string;
  read: ReadPage<Item>;
}

/**
 * All pages of a list. A server that does not know the method has none.
 * @throws RpcError; HostError as `McpClient.request`
 */
export async function listAll<Item>(
  client: Asked,
  { method, read }: List<Item>,
  options: ListOptions = {},
): Promise<Listed<Item>> {
  const { pagesMax = 1000, itemsMax = 20_000, ...requestOptions } = options;
  const seen = new Set<string>();
  const warnings = new Set<string>();
  try {
    const { items, warning, failure } = await allPages<Item>({
      pagesMax,
      itemsMax,
      restart() {
        client.forget?.(method);
        seen.clear();
        warnings.clear();
      },
      async fetch(params) {
        const reply = await client.request(method, params, requestOptions);
        const { result, warning: old } = reply;
        const page = read((wholeJson(reply.raw()) ?? result) as JsonObject, seen);
        const news = isRepetition(params, page.items) ? [] : page.warnings;
        for (const text of [old ?? [], news].flat())
          if (warnings.size < warningsMax) warnings.add(text);
        return { items: page.items, nextCursor: result.nextCursor };
      },
    });
    if (warning !== undefined) warnings.add(warning);
    return { items, warnings: [...warnings], ...(failure && { failure }) };
  } catch (error) {
    if (error instanceof RpcError && error.code === methodNotFound)
      return { items: [], warnings: [] };
    throw error;
  }
}

// --- internal ---

const warningsMax = 1000;
